import type { Identity } from '@assay/contracts/define';
import type { World } from '@assay/testing/world';

const jsonSchema = {
  type: 'object',
  properties: {
    question: { type: 'string' },
    idealAnswer: { type: 'string' },
    topic: { type: 'string' },
  },
  required: ['question', 'idealAnswer'],
};
const fieldMapping = { inputs: ['question'], expected: ['idealAnswer'], metadata: ['topic'] };

/** A testset in a new project: its id. */
export async function createTestset(
  world: World,
  change: object = {},
  options: { identity?: Partial<Identity> } = {},
): Promise<string> {
  const project = await world.request(
    'POST',
    '/projects',
    { name: 'Support', description: '' },
    options,
  );
  const body = { name: 'Questions', description: '', jsonSchema, fieldMapping, ...change };
  return (await world.request('POST', `/projects/${project.body.id}/testsets`, body, options)).body
    .id;
}

/** The values of an NDJSON text. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a line, and checks it.
export const linesOf = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
