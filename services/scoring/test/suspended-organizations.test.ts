import { start as startCatalog } from '@assay/catalog/service';
import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { makeKey } from '@assay/runtime/api-key';
import { operatorIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { type MockProviders, say, startMockProviders } from './mock-providers.ts';

const concurrency = 2;
const recordsCount = 20;

let world: World;
let mock: MockProviders;
/** Ends the answers of the judge that are held back. */
const release: (() => void)[] = [];
let isHeld = false;

beforeAll(async () => {
  mock = await startMockProviders(async () => {
    if (isHeld) await new Promise<void>((resolve) => void release.push(resolve));
    return say({ reasoning: 'It is right.', binaryScore: true });
  });
  world = await startWorld({
    services: {
      identity: startIdentity,
      catalog: startCatalog,
      metrics: startMetrics,
      'run-records': startRunRecords,
      scoring: start,
    },
    config: {
      ...mock.config(),
      JUDGE_CONCURRENCY: concurrency,
      SWEEP_INTERVAL_MS: 250,
      SWEEP_AFTER_MS: 500,
    },
  });
});
afterAll(async () => {
  await world.stop();
  await mock.stop();
});

async function newOrganization() {
  const ask = world.bus.asks(identity).identity;
  const { organization } = await ask.createOrganization(operatorIdentity, {
    name: 'o',
    key: makeKey().kept,
  });
  const organizationId = organization.id;
  const request = async (method: string, path: string, body?: unknown) =>
    (await world.request(method, path, body, { identity: { organizationId } })).body;
  const projectId = (await request('POST', '/projects', { name: 'p', description: '' })).id;
  const metric = await request('POST', `/projects/${projectId}/metrics`, {
    name: 'm',
    evalType: 'ai',
    outputType: 'boolean',
    promptTemplate: '{{ outputs.answer }}',
    evalModelName: 'gpt-4o',
  });

  /** A run whose records wait for the judge. */
  async function newRun(count: number) {
    const { id } = await request('POST', `/projects/${projectId}/runs`, {
      metricIds: [metric.id],
    });
    const record = { inputs: {}, expected: {}, outputs: { answer: 'a' } };
    await Promise.all(
      Array.from({ length: count }, () => request('POST', `/runs/${id}/records`, record)),
    );
    return async () => (await request('GET', `/runs/${id}`)).scoring;
  }
  const isScored = (scoring: () => Promise<{ pending: number; scored: number }>) =>
    poll('all is scored', async () => (await scoring()).pending === 0 && (await scoring()));
  return {
    newRun,
    isScored,
    suspend: () => ask.suspendOrganization(operatorIdentity, { organizationId }),
    resume: () => ask.resumeOrganization(operatorIdentity, { organizationId }),
  };
}

test('a suspended organization asks no judge, and loses no score: they are made when it is resumed', async () => {
  const [suspended, other] = await Promise.all([newOrganization(), newOrganization()]);
  await suspended.suspend();
  const waiting = await suspended.newRun(recordsCount);
  // What another organization began later is done, so the jobs of this one have come and gone.
  await other.isScored(await other.newRun(3));
  expect(mock.calls.length).toBe(3);
  expect(await waiting()).toMatchObject({ pending: recordsCount, scored: 0, failed: 0 });
  await suspended.resume();
  expect(await suspended.isScored(waiting)).toMatchObject({ scored: recordsCount, failed: 0 });
});

test('judges are asked no more once the organization is suspended, and what they answered is kept', async () => {
  const count = 120;
  const organization = await newOrganization();
  isHeld = true;
  const before = mock.calls.length;
  const scoring = await organization.newRun(count);
  await poll('the judge is asked', () => mock.calls.length - before === concurrency);
  await organization.suspend();
  await poll('the jobs have ended', async () => {
    for (const end of release.splice(0)) end();
    return (await jobsOfJudges()) === 0;
  });
  const asked = mock.calls.length - before;
  expect(asked).toBeLessThan(count);
  expect(await scoring()).toMatchObject({ scored: asked, pending: count - asked, failed: 0 });
  isHeld = false;
  await organization.resume();
  expect(await organization.isScored(scoring)).toMatchObject({ scored: count, failed: 0 });
  expect(mock.calls.length - before).toBe(count);
});

async function jobsOfJudges(): Promise<number> {
  const manager = await world.bus.connection.jetstreamManager();
  const stream = `${world.config.SUBJECT_PREFIX.toUpperCase()}-JOBS-scoring-judgeRecords`;
  return (await manager.streams.info(stream)).state.messages;
}
