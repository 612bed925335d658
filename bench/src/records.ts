import type { Call } from './client.ts';

/** The body of a record: 1 KB of JSON. */
export const recordBody = {
  inputs: {
    question: 'Where is my parcel? '.repeat(10),
    customer: { country: 'Norway', orders: 17 },
  },
  expected: { idealAnswer: 'Ask for the tracking number. '.repeat(10) },
  outputs: {
    response: 'Could you tell me the tracking number? '.repeat(10),
    tokens: [12, 318, 44],
    confidence: 0.75,
  },
};

/** A new run without metrics: its id. */
export async function createRun(call: Call): Promise<string> {
  const project = await call('POST', '/projects', { name: 'Records', description: '' });
  return (await call('POST', `/projects/${project.id}/runs`, { metricIds: [] })).id;
}
