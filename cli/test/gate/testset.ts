import type { Client } from '@assay/client/client';

export interface Testset {
  id: string;
  testcases: { id: string; inputs: object; expected: object }[];
}

/** Creates a testset of so many questions, each with its answer. */
export async function createTestset(
  client: Client,
  projectId: string,
  count: number,
): Promise<Testset> {
  const { id } = await client.request('POST', '/projects/:projectId/testsets', {
    params: { projectId },
    body: {
      name: 'Numbers',
      description: '',
      jsonSchema: { type: 'object', properties: { question: {}, answer: {} } },
      fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
    },
  });
  const items = Array.from({ length: count }, (_, index) => ({
    jsonData: { question: `${index}?`, answer: `${index}!` },
  }));
  const { items: testcases } = await client.request('POST', '/testsets/:testsetId/testcases', {
    params: { testsetId: id },
    body: { items },
  });
  return { id, testcases };
}
