import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startMongod } from '../src/mongod.ts';
import { binaries, makeFolder } from './setting.ts';

test('a mongod whose port another program takes while it starts gets another port', async () => {
  const { mongod } = await binaries();
  const dataFolder = await makeFolder();
  const binary = join(dataFolder, 'mongod-that-comes-late');
  const calls = join(dataFolder, 'calls');
  // The first call ends as mongod does when its port is taken.
  await writeFile(
    binary,
    `#!/bin/sh\necho "$@" >> '${calls}'\n[ "$(wc -l < '${calls}')" -gt 1 ] || exit 48\nexec '${mongod}' "$@"\n`,
  );
  await chmod(binary, 0o755);
  const server = await startMongod({
    binary,
    dataFolder,
    log: () => undefined,
    onFatal: (sentence) => {
      throw new Error(sentence);
    },
  });
  onTestFinished(server.stop);
  const [first, second] = (await readFile(calls, 'utf8'))
    .trim()
    .split('\n')
    .map((line) => /--port[ =](\d+)/.exec(line)?.[1]);
  expect(new URL(server.uri).port).toBe(second);
  expect(second).not.toBe(first);
});
