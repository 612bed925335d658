import { operation, service } from '@assay/contracts/define';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { organizationContext } from '../../concurrency/organization-context.ts';
import { createReadiness } from '../../http/health.ts';
import { linesReply } from '../../http/lines.ts';
import { createHttpServer, type HttpServer } from '../../http/server.ts';
import { keysOfSecret } from '../../keys.ts';
import { createLog } from '../../log.ts';
import { createMetrics } from '../../metrics.ts';
import { requestAct, sealIdentity, streamedBody } from '../../signature.ts';

const keys = keysOfSecret('x'.repeat(32));
const contract = service({
  name: 'parcels',
  summary: 'Parcels',
  operations: {
    exportParcels: operation({
      method: 'GET',
      path: '/parcels',
      summary: 'Send them all',
      replyStreams: ['application/x-ndjson'],
      status: 200,
    }),
  },
});

/** For whom each part of the reply was made. */
const madeFor: (string | undefined)[] = [];
const note = () => madeFor.push(organizationContext()?.organizationId);

async function* parcels(): AsyncGenerator<Uint8Array[]> {
  try {
    for (let count = 0; count < 3; count++) {
      note();
      await new Promise((resolve) => setTimeout(resolve, 1));
      note();
      // Large enough to be sent by itself.
      yield [Buffer.from(`${'x'.repeat(100_000)}\n`)];
    }
  } finally {
    note();
  }
}

let server: HttpServer;
let url: string;
beforeAll(async () => {
  server = createHttpServer({
    contract,
    handlers: { exportParcels: async () => linesReply(parcels()) },
    keys,
    idempotency: async ({ run, reply }) => reply(await run(undefined)),
    readiness: createReadiness(),
    dependencies: {},
    metrics: createMetrics({ service: 'parcels', revision: 'unknown' }),
    log: createLog({ name: 'test', level: 'silent' }),
  });
  url = await server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => server.close());

test('a reply that streams is made for its organization to the end, though its handler has returned long before', async () => {
  const identity = {
    organizationId: 'o',
    userId: 'u',
    role: 'member' as const,
    apiKeyId: null,
    requestId: 'r',
  };
  const headers = sealIdentity(keys, identity, {
    act: requestAct('GET', '/parcels'),
    digest: streamedBody,
    receiver: 'parcels',
  });
  const response = await fetch(`${url}/parcels`, { headers });
  expect((await response.text()).match(/\n/g)).toHaveLength(3);
  expect(madeFor).toEqual(Array.from({ length: 7 }, () => 'o'));
});
