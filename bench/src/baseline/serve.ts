import type { FastifyInstance } from 'fastify';

/** Listens on a free port of the loopback, says where, and ends on SIGTERM. */
export async function serve(app: FastifyInstance): Promise<void> {
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  process.once('SIGTERM', () => process.exit(0));
  process.stdout.write(`ready at ${url}\n`);
}
