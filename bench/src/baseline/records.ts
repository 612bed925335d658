// The service that an engineer writes in ten minutes: a body checked by Fastify's schema, one
// durable insertOne per request, and a list in the order of `_id`.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { openCollection } from './database.ts';
import { serve } from './serve.ts';

const payload = { type: 'object', additionalProperties: true };
const body = {
  type: 'object',
  required: ['inputs', 'expected', 'outputs'],
  properties: { inputs: payload, expected: payload, outputs: payload },
};

interface RecordBody {
  inputs: object;
  expected: object;
  outputs: object;
}

const records = await openCollection<RecordBody & { _id: string; runId: string }>('records');
await records.createIndex({ runId: 1, _id: 1 });
const app = Fastify();

app.post<{ Params: { runId: string }; Body: RecordBody }>(
  '/runs/:runId/records',
  { schema: { body } },
  async (request, reply) => {
    const record = { _id: randomUUID(), runId: request.params.runId, ...request.body };
    await records.insertOne(record);
    return reply.code(201).send(record);
  },
);

app.get<{ Params: { runId: string }; Querystring: { limit: string } }>(
  '/runs/:runId/records',
  async ({ params, query }) => {
    const limit = Number(query.limit);
    return {
      data: await records.find({ runId: params.runId }).sort({ _id: 1 }).limit(limit).toArray(),
    };
  },
);

await serve(app);
