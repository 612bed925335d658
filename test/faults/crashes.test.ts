import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, test } from 'vitest';
import { audit } from './audit.ts';
import { type Cluster, type Member, startCluster } from './cluster.ts';
import { createDice, hasTime, isWhole, report, seed } from './seed.ts';
import { startWriters, type Writers } from './writers.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
}, 300_000);
afterAll(() => cluster.stop(), 120_000);

const dice = createDice('crashes');

/**
 * Kills some at once at a random moment, starts them again after a while, and waits until all goes
 * on.
 */
async function crash(victims: Member[], writers: Writers): Promise<void> {
  const moment = writers.count() + dice.below(40);
  await poll('the moment has come', () => writers.count() >= moment);
  const names = victims.length > 3 ? 'everything' : victims.map(({ name }) => name).join(' and ');
  report(`kill -9 of ${names} after ${writers.count()} writes`);
  await Promise.all(victims.map((victim) => victim.kill()));
  const killedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, dice.below(1500)));
  await Promise.all(victims.map((victim) => victim.start()));
  const restartedAt = performance.now();
  const before = writers.count();
  await poll('writing goes on', () => writers.count() >= before + 16);
  const seconds = (from: number) => ((performance.now() - from) / 1000).toFixed(1);
  report(
    `${names}: writing goes on ${seconds(killedAt)} s after the crash, ${seconds(restartedAt)} s after the restart`,
  );
}

test(`kill -9 of any process, or of all, loses and doubles nothing that was acknowledged, and leaves nothing behind (seed ${seed})`, {
  timeout: 30 * 60_000,
}, async () => {
  const { call, members } = cluster;
  const ofName = (start: string) => members.filter(({ name }) => name.startsWith(start));
  const plan = isWhole
    ? () => [...dice.shuffle(members).map((member) => [member]), [...members]]
    : () => [
        [dice.pick(ofName('run-records'))],
        [...ofName('mongod'), dice.pick(ofName('scoring'))],
        [dice.pick(ofName('sessions'))],
      ];
  let round = 0;
  do {
    round += 1;
    const writers = await startWriters(call, createDice(`round ${round}`));
    for (const victims of plan()) await crash(victims, writers);
    await writers.stop();
    await audit(cluster, writers);
    report(
      `round ${round}: ${writers.ledger.records.size} records, ${writers.ledger.attachments.size} attachments, all accounted for`,
    );
  } while (hasTime());
});
