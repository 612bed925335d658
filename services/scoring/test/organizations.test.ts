import { randomUUID } from 'node:crypto';
import { start as startCatalog } from '@assay/catalog/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { jobSubject } from '@assay/runtime/bus/job-queues';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';

let world: World;
beforeAll(async () => {
  const services = {
    catalog: startCatalog,
    metrics: startMetrics,
    'run-records': startRunRecords,
    scoring: start,
  };
  world = await startWorld({ services, config: { CODE_TIMEOUT_MS: 300, CODE_WITHOUT_WALL: true } });
});
afterAll(() => world.stop());

/** Another organization whose jobs wait in the same queue. */
function newOrganizationBeside(other: string): string {
  const organizationId = randomUUID();
  return jobSubject('', organizationId) === jobSubject('', other)
    ? organizationId
    : newOrganizationBeside(other);
}

/** What an organization does. */
function createTenant(organizationId: string) {
  const identity = { identity: { organizationId } };
  const request = async (method: string, path: string, body?: unknown) =>
    (await world.request(method, path, body, identity)).body;
  const scoringOf = async (runId: string) => (await request('GET', `/runs/${runId}`)).scoring;
  return {
    request,
    scoringOf,
    /** A run with so many records, all of one metric. */
    async newRun(metric: object, records: number): Promise<string> {
      const project = await request('POST', '/projects', { name: 'p', description: '' });
      const { id } = await request('POST', `/projects/${project.id}/metrics`, {
        evalType: 'heuristic',
        outputType: 'boolean',
        name: 'm',
        ...metric,
      });
      const run = await request('POST', `/projects/${project.id}/runs`, { metricIds: [id] });
      const line = `${JSON.stringify({ inputs: { a: 1 }, expected: { answer: 'a' }, outputs: { answer: 'a' } })}\n`;
      const headers = { 'content-type': 'application/x-ndjson' };
      await world.request('POST', `/runs/${run.id}/records/bulk`, undefined, {
        ...identity,
        raw: line.repeat(records),
        headers,
      });
      return run.id;
    },
  };
}

const endless = { code: { language: 'javascript', source: 'function evaluate() { for (;;); }' } };
const exact = { builtin: { name: 'exact_match', options: {} } };
const honest = { code: { language: 'javascript', source: 'function evaluate() { return true; }' } };

test('an organization whose code never ends, on many records, keeps no other waiting for its scores, also one whose jobs wait in the same queue', async () => {
  const greedyId = randomUUID();
  const [greedy, modest] = [createTenant(greedyId), createTenant(newOrganizationBeside(greedyId))];
  const runs = await Promise.all(Array.from({ length: 6 }, () => greedy.newRun(endless, 60)));
  await poll('its code runs', async () => (await greedy.scoringOf(runs[0]!)).pending > 0);
  for (const metric of [exact, honest, exact]) {
    const run = await modest.newRun(metric, 1);
    await poll('the record is settled', async () => (await modest.scoringOf(run)).pending === 0);
  }
  const left = await Promise.all(runs.map(async (run) => (await greedy.scoringOf(run)).pending));
  expect(left.reduce((sum, pending) => sum + pending, 0)).toBeGreaterThan(0);
  for (const run of runs) await greedy.request('POST', `/runs/${run}/pause`);
});

test('code that never ends is stopped after twenty records, and the others of its run fail with a sentence that says so', async () => {
  const tenant = createTenant(randomUUID());
  const run = await tenant.newRun(endless, 200);
  await poll('all have failed', async () => (await tenant.scoringOf(run)).failed === 200);
  const { data } = await tenant.request('GET', `/runs/${run}/failures?limit=100`);
  const messages = new Set(data.map(({ message }: { message: string }) => message));
  expect([...messages].some((message) => String(message).includes('20 records in a row'))).toBe(
    true,
  );
});
