// A bare Fastify that answers with the body it was sent.
import Fastify from 'fastify';
import { serve } from './serve.ts';

const app = Fastify();
app.post('/runs/:runId/records', async (request, reply) => reply.code(201).send(request.body));
await serve(app);
