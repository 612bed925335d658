import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort, keepPort } from '../src/port.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-ports-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** The port of a file after a process that claimed it has ended, or undefined for another one. */
async function rememberedBy(file: string, port: number): Promise<number | undefined> {
  await writeFile(file, String(port));
  return (await keepPort({ file })) === port ? port : undefined;
}

test('no port is given twice while nobody listens on it yet', async () => {
  // Of 12,000 ports, 400 drawn by chance hold some seven twice.
  const ports: number[] = [];
  for (let count = 0; count < 400; count++) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});

test('a port that was asked for can be listened on', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1');
  await once(server, 'listening');
  await new Promise((closed) => server.close(closed));
});

test('a file gives its port again to the process that has claimed it', async () => {
  const file = join(folder, 'own');
  const port = await keepPort({ file });
  expect(await keepPort({ file })).toBe(port);
});

test('a port that another process has claimed is not given until that process ends', async () => {
  const child = spawn(
    process.execPath,
    [
      '--input-type=module',
      '--eval',
      `import { freePort } from ${JSON.stringify(new URL('../dist/port.js', import.meta.url).href)};
       console.log(await freePort());
       setInterval(() => undefined, 1_000);`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(line.toString());
  try {
    expect(await rememberedBy(join(folder, 'other'), port)).toBeUndefined();
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
  expect(
    await poll('the port is free again', () => rememberedBy(join(folder, 'other'), port)),
  ).toBe(port);
});
