import type { Call } from './client.ts';

/**
 * The schema of the testcases of both sides: questions to a support bot, with the constraints that
 * people write.
 */
export const testcaseSchema = {
  type: 'object',
  properties: {
    question: { type: 'string', minLength: 1, maxLength: 2000 },
    idealAnswer: { type: 'string', minLength: 1 },
    topic: { enum: ['shipping', 'returns', 'payment'] },
    priority: { type: 'integer', minimum: 1, maximum: 5 },
    keywords: { type: 'array', items: { type: 'string' }, maxItems: 20 },
    customer: {
      type: 'object',
      properties: { country: { type: 'string' }, orders: { type: 'integer' } },
      required: ['country'],
    },
  },
  required: ['question', 'idealAnswer'],
};

const fieldMapping = {
  inputs: ['question', 'customer'],
  expected: ['idealAnswer', 'keywords'],
  metadata: ['topic', 'priority'],
};

const sentence = 'The parcel left our warehouse on Monday and should be with you soon. ';

/** The data of one testcase: 0.5 KB of JSON. */
export const testcaseOf = (parcel: number | string) => ({
  question: `Where is parcel ${parcel}? ${sentence}${sentence}`,
  idealAnswer: `Ask for the tracking number. ${sentence}${sentence}`,
  topic: 'shipping',
  priority: 3,
  keywords: ['tracking', 'parcel', 'number'],
  customer: { country: 'Norway', orders: 17 },
});

/** The body of a request that creates this many. */
export const testcasesBody = (count: number) => ({
  items: Array.from({ length: count }, (_, index) => ({ jsonData: testcaseOf(index) })),
});

/** A new testset with that schema, in a project of its own. */
export async function createTestset(call: Call): Promise<{ projectId: string; testsetId: string }> {
  const project = await call('POST', '/projects', { name: 'Testcases', description: '' });
  const testset = await call('POST', `/projects/${project.id}/testsets`, {
    name: 'Support',
    description: '',
    jsonSchema: testcaseSchema,
    fieldMapping,
  });
  return { projectId: project.id, testsetId: testset.id };
}
