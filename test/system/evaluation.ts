import { poll } from '@assay/testing/poll';
import { expect } from 'vitest';
import type { Call } from './installation.ts';

/** One evaluation from end to end, as a client does it; answers with the run's summary. */
export async function evaluate(call: Call) {
  const ok = async (...request: Parameters<Call>) => {
    const reply = await call(...request);
    expect(reply.status, `${request[0]} ${request[1]}: ${reply.text}`).toBeLessThan(300);
    return reply.body;
  };
  const project = await ok('POST', '/projects', { name: 'Capitals', description: '' });
  const testset = await ok('POST', `/projects/${project.id}/testsets`, {
    name: 'Europe',
    description: '',
    jsonSchema: {
      type: 'object',
      properties: { country: { type: 'string' }, capital: { type: 'string' } },
      required: ['country'],
    },
    fieldMapping: { inputs: ['country'], expected: ['capital'], metadata: [] },
  });
  const capitals = { France: 'Paris', Italy: 'Rome', Spain: 'Madrid', Norway: 'Oslo' };
  const items = Object.entries(capitals).map(([country, capital]) => ({
    jsonData: { country, capital },
  }));
  const testcases = (await ok('POST', `/testsets/${testset.id}/testcases`, { items })).items;
  const metric = await ok('POST', `/projects/${project.id}/metrics`, {
    name: 'Same',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { ignoreCase: true } },
  });
  const system = await ok('POST', `/projects/${project.id}/systems`, {
    config: { model: 'atlas' },
  });
  const run = await ok('POST', `/projects/${project.id}/runs`, {
    testsetId: testset.id,
    systemVersionId: system.productionVersion.id,
    metricIds: [metric.id],
  });
  for (const { id, inputs, expected } of testcases) {
    const answer = inputs.country === 'Norway' ? 'Bergen' : expected.capital.toUpperCase();
    await ok('POST', `/runs/${run.id}/records`, {
      testcaseId: id,
      inputs,
      expected,
      outputs: { answer },
    });
  }
  await poll(
    'the run is completed',
    async () => (await ok('GET', `/runs/${run.id}`)).status === 'completed',
  );
  return {
    project,
    testset,
    testcases,
    metric,
    system,
    run,
    summary: await ok('GET', `/runs/${run.id}/summary`),
  };
}
