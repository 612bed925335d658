// A hundred testcases a request: checked by Fastify's schema, kept by one insertMany, durable,
// answered as they were kept.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { testcaseSchema } from '../testcases.ts';
import { openCollection } from './database.ts';
import { serve } from './serve.ts';

const body = {
  type: 'object',
  required: ['items'],
  properties: {
    items: {
      type: 'array',
      minItems: 1,
      maxItems: 100,
      items: { type: 'object', required: ['jsonData'], properties: { jsonData: testcaseSchema } },
    },
  },
};

interface TestcasesBody {
  items: { jsonData: object }[];
}

const testcases = await openCollection<{ _id: string; testsetId: string; jsonData: object }>(
  'testcases',
);
await testcases.createIndex({ testsetId: 1, _id: 1 });
const app = Fastify();

app.post<{ Params: { testsetId: string }; Body: TestcasesBody }>(
  '/testsets/:testsetId/testcases',
  { schema: { body } },
  async (request, reply) => {
    const items = request.body.items.map(({ jsonData }) => ({
      _id: randomUUID(),
      testsetId: request.params.testsetId,
      jsonData,
    }));
    await testcases.insertMany(items);
    return reply.code(201).send({ items });
  },
);

await serve(app);
