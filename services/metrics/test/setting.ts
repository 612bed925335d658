import { start as startCatalog } from '@assay/catalog/service';
import { metrics } from '@assay/contracts/metrics';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll } from 'vitest';
import { start } from '../src/service.ts';

export const absent = '00000000-0000-7000-8000-000000000000';

export const judged = {
  promptTemplate: 'Is {{ outputs.response }} right?',
  evalModelName: 'gpt-4o',
  temperature: 0,
};
export const builtin = {
  name: 'levenshtein',
  options: { output: '/response', expected: '/idealAnswer' },
};
export const code = {
  language: 'typescript',
  source:
    'function evaluate({ outputs }: { outputs: { response: string } }): boolean {\n  return outputs.response === "yes";\n}\n',
};

export const services = { catalog: startCatalog, metrics: start };

/** Catalog and metrics, and the others named, for the tests of one file, and what they do most. */
export function useMetrics({
  others = {},
  config = {},
}: {
  others?: Parameters<typeof startWorld>[0]['services'];
  config?: Record<string, unknown>;
} = {}) {
  const setting = {} as { world: World };
  beforeAll(async () => {
    setting.world = await startWorld({
      services: { ...services, ...others },
      config: { CODE_WITHOUT_WALL: true, ...config },
    });
  });
  afterAll(() => setting.world.stop());

  const request: World['request'] = (...call) => setting.world.request(...call);
  const ask = () => setting.world.bus.asks(metrics).metrics;
  const create = (projectId: string, body: object) =>
    request('POST', `/projects/${projectId}/metrics`, body);
  return {
    world: () => setting.world,
    request,
    ask,
    create,
    identity: () => setting.world.identity,
    newProject: async () =>
      (await request('POST', '/projects', { name: 'Support', description: '' })).body.id as string,
    newMetric: async (projectId: string, change = {}) =>
      (
        await create(projectId, {
          name: 'Correct',
          evalType: 'human',
          outputType: 'boolean',
          ...change,
        })
      ).body,
    change: (metric: { id: string; evalType: string; outputType: string }, body: object) =>
      request('PATCH', `/metrics/${metric.id}`, {
        evalType: metric.evalType,
        outputType: metric.outputType,
        ...body,
      }),
    currentVersion: async (projectId: string, metricId: string) => {
      const { versions } = await ask().currentVersions(setting.world.identity, {
        projectId,
        metricIds: [metricId],
      });
      return (await ask().version(setting.world.identity, versions[0]!)).version!;
    },
  };
}

export const times = <Result>(count: number, work: (index: number) => Promise<Result>) =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
