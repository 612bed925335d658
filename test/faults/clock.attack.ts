import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { audit, listAll } from './audit.ts';
import { type Cluster, type Member, startCluster } from './cluster.ts';
import { createDice, report, seed } from './seed.ts';
import { startWriters } from './writers.ts';

const preload = fileURLToPath(new URL('./clock.mjs', import.meta.url));
const hourMs = 3_600_000;
let file: string;
let cluster: Cluster;
beforeAll(async () => {
  const prepare = async (folder: string) => {
    file = join(folder, 'clock');
    await writeFile(file, '0');
  };
  cluster = await startCluster({
    prepare,
    environment: (folder) => ({
      NODE_OPTIONS: `--import=${preload}`,
      CLOCK_FILE: join(folder, 'clock'),
    }),
  });
}, 300_000);
afterAll(() => cluster.stop(), 120_000);

async function setClocks(members: Member[], behindMs: number): Promise<void> {
  await writeFile(file, String(behindMs));
  for (const { pid } of members) if (pid) process.kill(pid(), 'SIGUSR2');
}

test(`a clock that is set back an hour, in one process and then in all, makes no id twice and hides nothing that was there (seed ${seed})`, {
  timeout: 15 * 60_000,
}, async () => {
  const { call, members } = cluster;
  const dice = createDice('clock');
  const writers = await startWriters(call, dice);
  const goOn = async (what: string) => {
    const before = writers.count();
    await poll(`writing goes on after ${what}`, () => writers.count() >= before + 40);
    report(`clock: writing goes on after ${what}`);
  };
  await goOn('the start');
  const services = members.filter(({ pid }) => pid);
  const [one] = services.filter(({ name }) => name.startsWith('run-records'));
  await setClocks([one!], hourMs);
  await goOn(`the clock of ${one!.name} was set back`);

  const there = (
    await Promise.all(writers.runIds.map((runId) => listAll(call, `/runs/${runId}/records`)))
  ).flat();
  await setClocks(services, hourMs);
  await goOn('all clocks were set back');
  await Promise.all(services.map((service) => service.kill()));
  await Promise.all(services.map((service) => service.start()));
  await goOn('all started anew with their clocks an hour behind');
  await writers.stop();

  const listed = new Set(
    (await Promise.all(writers.runIds.map((runId) => listAll(call, `/runs/${runId}/records`))))
      .flat()
      .map(({ id }) => id),
  );
  const kept = new Set([...writers.ledger.records.values()].map((record) => record?.id));
  expect(there.filter(({ id }) => kept.has(id) && !listed.has(id))).toEqual([]);
  await audit(cluster, writers);
});
