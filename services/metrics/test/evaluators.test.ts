import { evaluatorNames } from '@assay/contracts/metrics/evaluator';
import { expect, test } from 'vitest';
import { useMetrics } from './setting.ts';

const { request, create, newProject } = useMetrics();

interface Evaluator {
  name: string;
  outputTypes: string[];
  options: object;
  example: { options: object };
}

test('the built-in evaluators are listed, and each makes a metric with the options of its example', async () => {
  const { status, body } = await request('GET', '/evaluators');
  expect([status, body.data.map(({ name }: Evaluator) => name)]).toEqual([200, evaluatorNames]);
  const projectId = await newProject();
  for (const { name, outputTypes, example } of body.data as Evaluator[]) {
    const builtin = { name, options: example.options };
    const metric = await create(projectId, {
      name,
      evalType: 'heuristic',
      outputType: outputTypes[0],
      builtin,
    });
    expect([name, metric.status, metric.body.builtin]).toEqual([name, 201, builtin]);
  }
});
