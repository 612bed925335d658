import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { poll, pollAtMost } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit } from './audit.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { createDice, report, seed } from './seed.ts';
import { startWriters } from './writers.ts';

/** Small disks of their own, which only root can make. */
const disks = { attachments: 16, mongodb: 600 };

function mount(folder: string, mebibytes: number): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m`, 'tmpfs', folder], {
      stdio: 'ignore',
    });
    return true;
  } catch {
    return false;
  }
}

let cluster: Cluster;
let isMounted = false;
beforeAll(async () => {
  cluster = await startCluster({
    prepare: async (folder) => {
      for (const [name, mebibytes] of Object.entries(disks)) {
        await mkdir(join(folder, name), { mode: 0o700 });
        isMounted = mount(join(folder, name), mebibytes);
        if (!isMounted) return;
      }
    },
    finish: async (folder) => {
      if (isMounted)
        for (const name of Object.keys(disks)) execFileSync('umount', ['-l', join(folder, name)]);
    },
  });
}, 300_000);
afterAll(() => cluster.stop(), 120_000);

/** Writes until the disk has no room for a byte more. */
async function fill(folder: string): Promise<() => Promise<void>> {
  const ballast = join(folder, 'ballast');
  const file = await open(ballast, 'w');
  for (const size of [1024 * 1024, 4096]) {
    try {
      for (;;) if ((await file.write(Buffer.alloc(size))).bytesWritten < size) break;
    } catch {
      // Full.
    }
  }
  await file.close();
  return () => rm(ballast);
}

function declare(bytes: Buffer) {
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    sessionId: 's',
    filePath: sha256,
    sha256,
    sizeBytes: bytes.length,
    contentType: 'text/plain',
  };
}

test('a disk that is full of attachments refuses uploads with a 503, everything else goes on, and uploads when there is room again', async ({
  annotate,
}) => {
  if (!isMounted)
    return void (await annotate('not tried: small disks need root, and the right to mount'));
  const { call, folder } = cluster;
  const upload = async (bytes: Buffer) => {
    const declared = (await call('POST', '/attachments', declare(bytes))).body;
    const put = await fetch(declared.uploadUrl, {
      method: 'PUT',
      body: bytes as Uint8Array<ArrayBuffer>,
    });
    return { id: declared.id as string, status: put.status, text: await put.text() };
  };
  const first = await upload(randomBytes(100_000));
  expect((await call('POST', `/attachments/${first.id}/commit`)).status).toBe(200);
  const free = await fill(join(folder, 'attachments'));
  const refused = await upload(randomBytes(100_000));
  expect([refused.status, JSON.parse(refused.text).code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
  expect((await call('GET', `/attachments/${first.id}`)).status).toBe(200);
  expect((await call('POST', '/projects', { name: 'p', description: '' })).status).toBe(201);
  await free();
  expect((await upload(randomBytes(100_000))).status).toBeLessThan(300);
});

test(`a full disk of MongoDB is a 503, loses nothing that was acknowledged, and is over when there is room again (seed ${seed})`, {
  timeout: 10 * 60_000,
}, async ({ annotate }) => {
  if (!isMounted)
    return void (await annotate('not tried: small disks need root, and the right to mount'));
  const { call, folder } = cluster;
  const writers = await startWriters(call, createDice('disk'));
  await poll('something is written', () => writers.count() >= 60);
  const free = await fill(join(folder, 'mongodb'));
  const filledAt = performance.now();
  const isRefused = async () =>
    (await call('POST', '/projects', { name: 'p', description: '' }).catch(() => undefined))
      ?.status === 503;
  const refused = await pollAtMost(30_000, 'writes are refused', isRefused).catch(() => false);
  report(
    refused
      ? `disk full: writes are refused after ${((performance.now() - filledAt) / 1000).toFixed(1)} s`
      : 'disk full: not noticed',
  );
  const reads = await call('GET', '/projects').catch(() => undefined);
  report(`disk full: a read is answered with ${reads?.status}`);
  await free();
  const freedAt = performance.now();
  const before = writers.count();
  await poll('writing goes on', () => writers.count() >= before + 16);
  report(
    `disk free again: writing goes on after ${((performance.now() - freedAt) / 1000).toFixed(1)} s`,
  );
  await writers.stop();
  await audit(cluster, writers);
});
