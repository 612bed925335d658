import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { startWorld } from '@assay/testing/world';
import { expect, test } from 'vitest';
import { start } from '../src/service.ts';

/** More than are handed over together. */
const records = 120;
const slow =
  'function evaluate() { const until = Date.now() + 40; while (Date.now() < until); return true; }';

test('a process that stops does not wait for code that has not begun: another one runs it', async () => {
  const services = { catalog: startCatalog, metrics: startMetrics, 'run-records': startRunRecords };
  await using world = await startWorld({ services, config: { CODE_WITHOUT_WALL: true } });
  const startScoring = () =>
    start({ ...world.config, RUN_RECORDS_URL: world.urls['run-records']! });
  const projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
  const code = { language: 'javascript', source: slow };
  const metric = { name: 'm', evalType: 'heuristic', outputType: 'boolean', code };
  const metricId = (await world.create(`/projects/${projectId}/metrics`, metric)).id;
  const runId = (await world.create(`/projects/${projectId}/runs`, { metricIds: [metricId] })).id;
  const account = async () => (await world.request('GET', `/runs/${runId}`)).body.scoring;

  const first = await startScoring();
  const raw = `${JSON.stringify({ inputs: {}, expected: {}, outputs: {} })}\n`.repeat(records);
  await world.request('POST', `/runs/${runId}/records/bulk`, undefined, {
    raw,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  await poll('some are scored', async () => (await account()).scored > 0);
  await first.stop();
  expect((await account()).pending).toBeGreaterThan(0);

  const second = await startScoring();
  const settled = await poll(
    'every record is scored',
    async () => (await account()).pending === 0 && account(),
  );
  const failures = (await world.request('GET', `/runs/${runId}/failures`)).body.data;
  expect(settled, JSON.stringify(failures)).toEqual({
    expected: records,
    scored: records,
    failed: 0,
    pending: 0,
  });
  await second.stop();
});
