import { randomUUID } from 'node:crypto';
import { start as startCatalog } from '@assay/catalog/service';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startResults } from '@assay/results/service';
import { start as startRunRecords } from '@assay/run-records/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import { afterAll, beforeAll } from 'vitest';
import { sharedInProcess } from './sharing.ts';
import { type SharedWorld, startWorld, type World } from './world.ts';

export const missingId = '00000000-0000-7000-8000-000000000000';
export const payloads = {
  inputs: { question: 'q' },
  expected: { answer: 'a' },
  outputs: { answer: 'a' },
};
export const heuristic = {
  evalType: 'heuristic',
  outputType: 'boolean',
  builtin: { name: 'exact_match', options: {} },
};
export const asScoring = { identity: { role: 'service' as const } };
export const asMember = (userId: string) => ({ identity: { userId, role: 'member' as const } });

const services = {
  identity: startIdentity,
  catalog: startCatalog,
  testcases: startTestcases,
  systems: startSystems,
  metrics: startMetrics,
  'run-records': startRunRecords,
  results: startResults,
};

const worldOfProcess = sharedInProcess(
  () => startWorld({ services }),
  (world) => world.stop(),
);

/**
 * Run-records and results with the services that they ask, and a project; to be called once in a
 * test file. The files of a process share the services, each in an organization of its own; a file
 * with a `config` has services of its own.
 */
export function useRunRecords({ config }: { config?: Record<string, unknown> } = {}) {
  let world: SharedWorld;
  let own: World | undefined;
  let projectId: string;
  beforeAll(async () => {
    own = config && (await startWorld({ services, config }));
    world = own ?? (await worldOfProcess()).asNewOrganization();
    projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
  });
  afterAll(() => own?.stop());

  const newMetric = async (body: object = heuristic) =>
    (await world.create(`/projects/${projectId}/metrics`, { name: 'm', ...body })).id as string;
  const newRun = async (body: object = {}) =>
    await world.create(`/projects/${projectId}/runs`, { metricIds: [], ...body });
  const newRecord = (runId: string, change: object = {}, headers = {}) =>
    world.request('POST', `/runs/${runId}/records`, { ...payloads, ...change }, { headers });

  /** As many records as are wanted, by one request; returns their ids, the oldest first. */
  async function newRecords(runId: string, count: number): Promise<string[]> {
    if (count === 0) return [];
    const raw = `${JSON.stringify(payloads)}\n`.repeat(count);
    const headers = { 'content-type': 'application/x-ndjson' };
    const path = `/runs/${runId}/records/bulk`;
    const { text } = await world.request('POST', path, undefined, { raw, headers });
    const answers = text.split('\n').filter((line) => line !== '');
    return answers.map((line) => {
      const { id } = JSON.parse(line);
      if (id === undefined) throw new Error(`a record was not stored: ${line}`);
      return id;
    });
  }

  return {
    config: () => world.config,
    identity: () => world.identity,
    projectId: () => projectId,
    url: () => world.urls['run-records']!,
    resultsUrl: () => world.urls.results!,
    create: (...created: Parameters<World['create']>) => world.create(...created),
    request: (...request: Parameters<World['request']>) => world.request(...request),
    sealed: (...request: Parameters<World['sealed']>) => world.sealed(...request),
    newMember: async () =>
      (await world.request('POST', '/members', { email: `${randomUUID()}@example.com` })).body
        .userId as string,
    newMetric,
    newRun,
    newRecord,
    newRecords,
    /** A run with one human metric that several members score, and its records. */
    async newAnnotatedRun({
      outputType = 'int',
      annotators,
      records,
    }: {
      outputType?: string;
      annotators: number;
      records: number;
    }) {
      const run = await newRun({
        metricIds: [await newMetric({ evalType: 'human', outputType, annotators })],
      });
      const recordIds = await newRecords(run.id, records);
      const pathOf = (recordId: string) => `/records/${recordId}/scores/${run.metricVersionIds[0]}`;
      const put = (recordId: string, userId: string, value: unknown) =>
        world.request(
          'PUT',
          pathOf(recordId),
          value === undefined ? {} : { score: { value } },
          asMember(userId),
        );
      return { run, recordIds, pathOf, put };
    },
    getRun: async (runId: string) => (await world.request('GET', `/runs/${runId}`)).body,
    async newTestset(count: number) {
      const fieldMapping = { inputs: ['question'], expected: ['answer'], metadata: [] };
      const body = { name: 't', description: '', jsonSchema: {}, fieldMapping };
      const testset = (await world.create(`/projects/${projectId}/testsets`, body)).id as string;
      const items = Array.from({ length: count }, (_, index) => ({
        jsonData: { question: `q${index}` },
      }));
      const testcases =
        count === 0 ? [] : (await world.create(`/testsets/${testset}/testcases`, { items })).items;
      return { testset, testcaseIds: testcases.map(({ id }: { id: string }) => id) as string[] };
    },
  };
}
