// `npm run test:faults [-- --seed N] [--minutes M]`: kills, cuts and starves Assay, and then counts
// what is left. All that is random comes from the seed, which is printed at the start and in each
// failure: the same seed makes the same plan again. Rounds of crashes begin for `minutes`; all else
// takes its time once. What stands behind the options goes to vitest as a filter. The last line is
// `N passed, N failed`.
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { build, fail, install, root, step, tool } from './prepare.mjs';

const { values, positionals } = readArguments();
const seed = values.seed ?? String(randomInt(2 ** 31));
const minutes = Number(values.minutes);
if (!(minutes > 0)) fail(`--minutes is "${values.minutes}": give a number above 0.`);

await install();
const { passed: isBuilt, output } = await build();
if (!isBuilt) fail(`Building failed:\n${output}`);

process.stdout.write(
  `seed ${seed}: the same plan again is made by npm run test:faults -- --seed ${seed}\n`,
);
const config = ['--root', root, '--config', 'vitest.faults.config.ts'];
const { passed } = await step(
  process.execPath,
  [tool('vitest', 'vitest.mjs'), 'run', ...config, ...positionals],
  {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, FAULTS_SEED: seed, FAULTS_MINUTES: String(minutes) },
  },
);
if (!passed) process.exitCode = 1;

function readArguments() {
  try {
    return parseArgs({
      options: { seed: { type: 'string' }, minutes: { type: 'string', default: '4' } },
      allowPositionals: true,
    });
  } catch (error) {
    return fail(`${error.message}. Usage: npm run test:faults [-- --seed N] [--minutes M]`);
  }
}
