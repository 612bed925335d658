// `npm test`: everything that must hold, from a fresh clone. Installs, builds (worker threads and
// separate processes run the built code), and runs every test, while types, lint and unused code are
// checked beside the first of them. What stands after `--` goes to vitest as a filter, and then the
// static checks are left out; `--affected` stands for the tests that a change asks for, and `--times`
// does one step after the other and tells the processor time of each. The last line is `N passed, N
// failed`, in which each static check counts as one.
import { affectedTests } from './affected.mjs';
import { build, install, root, step, tool } from './prepare.mjs';
import { createProcessorTimes } from './processor-time.mjs';

const given = process.argv.slice(2);
const times = given[0] === '--times' ? createProcessorTimes() : undefined;
if (times) given.shift();
const affected = given[0] === '--affected' ? affectedTests() : undefined;
const filter = affected?.filters ?? given;
const isPlain = Boolean(process.env.CI) && !process.env.FORCE_COLOR;
const env = isPlain ? { ...process.env, NO_COLOR: '1' } : process.env;
const totals = { passed: 0, failed: 0 };
/** What failed checks said, told again at the end, where nothing follows it. */
const problems = [];

await install();
if (affected) process.stdout.write(`${affected.sentence}\n`);
const isWhole = filter.length === 0 || affected;
if (times) await tellTimes();
else {
  await check('build', build);
  await Promise.all([isWhole ? checkStatically() : undefined, runTests()]);
}
for (const output of problems) process.stdout.write(`\n${output}\n`);
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;

/** Against the compiler on the same tree in the same run, since machines differ. */
async function tellTimes() {
  await times.of('compile', () => runTool('typescript', 'bin/tsc', ['-b', '--force']));
  await times.of('build', () => check('build', build));
  if (isWhole) await times.of('checks', checkStatically);
  await times.of('tests', runTests);
  process.stdout.write(`\nProcessor time, user and system, of all processes:\n\n${times.table()}`);
}

/** One after the other: each of them uses every core. */
async function checkStatically() {
  await check('types', () => runTool('typescript', 'bin/tsc', ['-p', 'tsconfig.check.json']));
  await check('types of the console', () => runTool('typescript', 'bin/tsc', ['-p', 'console']));
  await check('lint', () => runTool('@biomejs/biome', 'bin/biome', ['check', '.']));
  await check('unused', () => runTool('knip', 'bin/knip.js', []));
}

/** A check that passes or fails as a whole; what it says is of interest when it fails. */
async function check(name, run) {
  const startedAt = Date.now();
  const { passed, output } = await run();
  totals[passed ? 'passed' : 'failed'] += 1;
  process.stdout.write(
    `${passed ? 'passed' : 'FAILED'}  ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)\n`,
  );
  if (!passed) problems.push(`FAILED  ${name}\n${output}`);
}

function runTool(name, path, args) {
  return step(process.execPath, [tool(name, path), ...args], { env });
}

/** The reporter sends its counts; a run that ends badly without a failed test is a failure too. */
async function runTests() {
  let counts = { passed: 0, failed: 0 };
  const { passed } = await step(
    process.execPath,
    [tool('vitest', 'vitest.mjs'), 'run', '--root', root, ...filter],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env,
      onMessage: (message) => (counts = message),
    },
  );
  totals.passed += counts.passed;
  totals.failed += passed ? counts.failed : Math.max(1, counts.failed);
}
