import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const environment = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
const python = (words: string[]) => run('python3', words, { cwd: folder, env: environment });

/** Without Python there is nothing to try; CI must have one. */
const hasPython = await python(['--version']).then(
  () => true,
  () => Boolean(process.env.CI),
);

test.runIf(hasPython)('the unit tests of the Python package pass', async () => {
  const { stderr } = await python(['-m', 'unittest', 'discover', '-s', 'test']);
  expect(stderr).toMatch(/^Ran (1[5-9]|[2-9]\d|\d{3,}) tests[\s\S]*\nOK\n$/m);
});
