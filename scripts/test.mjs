// `npm test`: everything that must hold, from a fresh clone. Installs, builds (worker threads and
// separate processes run the built code), checks types, lint and unused code, and runs every test.
// What stands after `--` goes to vitest as a filter, and then the static checks are left out. The
// last line is `N passed, N failed`, in which each static check counts as one.
import { build, install, root, step, tool } from './prepare.mjs';

const filter = process.argv.slice(2);
const isPlain = Boolean(process.env.CI) && !process.env.FORCE_COLOR;
const env = isPlain ? { ...process.env, NO_COLOR: '1' } : process.env;
const totals = { passed: 0, failed: 0 };

await install();
await check('build', build);
if (filter.length === 0) {
  await check('types', () => runTool('typescript', 'bin/tsc', ['-p', 'tsconfig.check.json']));
  await check('types of the console', () => runTool('typescript', 'bin/tsc', ['-p', 'console']));
  await check('lint', () => runTool('@biomejs/biome', 'bin/biome', ['check', '.']));
  await check('unused', () => runTool('knip', 'bin/knip.js', []));
}
await runTests();
process.stdout.write(`\n${totals.passed} passed, ${totals.failed} failed\n`);
process.exitCode = totals.failed === 0 ? 0 : 1;

/** A check that passes or fails as a whole; what it says is of interest when it fails. */
async function check(name, run) {
  const startedAt = Date.now();
  const { passed, output } = await run();
  totals[passed ? 'passed' : 'failed'] += 1;
  process.stdout.write(
    `${passed ? 'passed' : 'FAILED'}  ${name} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)\n`,
  );
  if (!passed) process.stdout.write(`${output}\n`);
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
