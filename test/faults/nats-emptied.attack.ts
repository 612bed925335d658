import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit, listAll } from './audit.ts';
import { type Cluster, startCluster } from './cluster.ts';
import { createDice, report, seed } from './seed.ts';
import { startWriters } from './writers.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 300_000);
afterAll(() => cluster.stop(), 120_000);

test(`a NATS that is emptied while scores wait: every score is found again, and what is deleted afterwards goes (seed ${seed})`, {
  timeout: 10 * 60_000,
}, async () => {
  const { call, folder, members } = cluster;
  const writers = await startWriters(call, createDice('nats'));
  const scoring = members.filter(({ name }) => name.startsWith('scoring'));
  await poll('something is written', () => writers.count() >= 30);
  await Promise.all(scoring.map((member) => member.kill()));
  await poll('scores wait', () => writers.count() >= 120);

  const data = join(folder, 'nats', 'jetstream');
  await rm(data, { recursive: true, force: true });
  await members.find(({ name }) => name === 'nats-server')!.kill();
  await rm(data, { recursive: true, force: true });
  const emptiedAt = performance.now();
  const before = writers.count();
  await poll('writing goes on', () => writers.count() >= before + 16);
  report(
    `NATS emptied: writing goes on after ${((performance.now() - emptiedAt) / 1000).toFixed(1)} s`,
  );
  await writers.stop();
  const startedAt = performance.now();
  await Promise.all(scoring.map((member) => member.start()));
  await audit(cluster, writers);
  report(
    `NATS emptied: all scored ${((performance.now() - startedAt) / 1000).toFixed(1)} s after scoring was back`,
  );

  // The events' stream and its consumers are made again, too.
  expect((await listAll(call, `/testsets/${writers.testsetId}/testcases`)).length).toBeGreaterThan(
    0,
  );
  expect((await call('DELETE', `/testsets/${writers.testsetId}`)).status).toBe(200);
  const [id] = writers.ledger.testcases.values();
  await poll(
    'its testcases are gone',
    async () => (await call('GET', `/testcases/${id}`)).status === 404,
  );
});
