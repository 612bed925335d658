import { randomUUID } from 'node:crypto';
import { start as startCatalog } from '@assay/catalog/service';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll } from 'vitest';
import { start } from '../src/service.ts';

export const missingId = '00000000-0000-7000-8000-000000000000';
export const payloads = { inputs: { question: 'q' }, expected: { answer: 'a' }, outputs: { answer: 'a' } };
export const heuristic = { evalType: 'heuristic', outputType: 'boolean', builtin: { name: 'exact_match', options: {} } };
export const asScoring = { identity: { role: 'service' as const } };
export const asMember = (userId: string) => ({ identity: { userId, role: 'member' as const } });

/** Run-records with the services that it asks, and a project; to be called once in a test file. */
export function useRunRecords({ config = {} }: { config?: Record<string, unknown> } = {}) {
  let world: World;
  let projectId: string;
  beforeAll(async () => {
    world = await startWorld({
      services: {
        identity: startIdentity,
        catalog: startCatalog,
        testcases: startTestcases,
        systems: startSystems,
        metrics: startMetrics,
        'run-records': start,
      },
      config,
    });
    projectId = (await world.create('/projects', { name: 'p', description: '' })).id;
  });
  afterAll(() => world.stop());

  return {
    config: () => world.config,
    identity: () => world.identity,
    projectId: () => projectId,
    url: () => world.urls['run-records']!,
    request: (...request: Parameters<World['request']>) => world.request(...request),
    sealed: (...request: Parameters<World['sealed']>) => world.sealed(...request),
    newMember: async () => (await world.request('POST', '/members', { email: `${randomUUID()}@example.com` })).body.userId as string,
    newMetric: async (body: object = heuristic) =>
      (await world.create(`/projects/${projectId}/metrics`, { name: 'm', ...body })).id as string,
    newRun: async (body: object = {}) => await world.create(`/projects/${projectId}/runs`, { metricIds: [], ...body }),
    newRecord: (runId: string, change: object = {}, headers = {}) =>
      world.request('POST', `/runs/${runId}/records`, { ...payloads, ...change }, { headers }),
    getRun: async (runId: string) => (await world.request('GET', `/runs/${runId}`)).body,
    async newTestset(count: number) {
      const fieldMapping = { inputs: ['question'], expected: ['answer'], metadata: [] };
      const body = { name: 't', description: '', jsonSchema: {}, fieldMapping };
      const testset = (await world.create(`/projects/${projectId}/testsets`, body)).id as string;
      const items = Array.from({ length: count }, (_, index) => ({ jsonData: { question: `q${index}` } }));
      const testcases = count === 0 ? [] : (await world.request('POST', `/testsets/${testset}/testcases`, { items })).body.items;
      return { testset, testcaseIds: testcases.map(({ id }: { id: string }) => id) as string[] };
    },
  };
}
