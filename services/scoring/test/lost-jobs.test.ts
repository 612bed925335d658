import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterEach, expect, test, vi } from 'vitest';
import { start } from '../src/service.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const startServices = () =>
  startWorld({
    services: { catalog: startCatalog, metrics: startMetrics, 'run-records': startRunRecords },
    config: { SWEEP_INTERVAL_MS: 100, SWEEP_AFTER_MS: 200 },
  });

/** A run whose 50 records wait for their scores, and whose jobs the bus has lost. */
async function loseJobs(world: World): Promise<string> {
  const projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
  const metric = {
    name: 'm',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: {} },
  };
  const metricId = (await world.create(`/projects/${projectId}/metrics`, metric)).id;
  const run = await world.create(`/projects/${projectId}/runs`, { metricIds: [metricId] });
  const record = { inputs: {}, expected: { answer: 1 }, outputs: { answer: 1 } };
  await Promise.all(
    Array.from({ length: 50 }, () => world.request('POST', `/runs/${run.id}/records`, record)),
  );

  const manager = await world.bus.connection.jetstreamManager();
  const ours = `${world.config.SUBJECT_PREFIX.toUpperCase()}-`;
  await poll('the jobs are published', async () =>
    (await manager.streams.list().next()).some(({ config }) =>
      config.name.startsWith(`${ours}JOBS`),
    ),
  );
  for (const { config } of await manager.streams.list().next())
    if (config.name.startsWith(ours)) await manager.streams.delete(config.name);
  return run.id;
}

async function expectScored(world: World, runId: string): Promise<void> {
  const scoring = await start({ ...world.config, RUN_RECORDS_URL: world.urls['run-records']! });
  const scored = await poll('every record is scored', async () => {
    const { scoring: account } = (await world.request('GET', `/runs/${runId}`)).body;
    return account.pending === 0 && account;
  });
  expect(scored).toEqual({ expected: 50, scored: 50, failed: 0, pending: 0 });
  await scoring.stop();
}

test('jobs that the bus lost with all its streams are published again, and every record is scored', async () => {
  await using world = await startServices();
  const runId = await loseJobs(world);
  const { 'run-records': url } = world.urls;
  const oldest = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^assay_pending_oldest_seconds\{.*\} (.*)$/m.exec(text)?.[1]);
  };
  await poll('scores wait for long', async () => (await oldest()) > 0.2);
  await expectScored(world, runId);
  expect(await oldest()).toBe(0);
});

test('jobs that were lost before the clock was set back an hour are published again, and not an hour later', async () => {
  await using world = await startServices();
  const runId = await loseJobs(world);
  const now = Date.now;
  vi.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
  await expectScored(world, runId);
});
