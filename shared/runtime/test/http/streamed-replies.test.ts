import { operation, service } from '@assay/contracts/define';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { organizationContext } from '../../concurrency/organization-context.ts';
import { linesReply } from '../../http/lines.ts';
import { type StartedServer, startServer } from './started-server.ts';

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

let server: StartedServer;
beforeAll(async () => {
  server = await startServer(contract, { exportParcels: async () => linesReply(parcels()) });
});
afterAll(() => server.close());

test('a reply that streams is made for its organization to the end, though its handler has returned long before', async () => {
  const headers = server.callHeaders('GET', '/parcels');
  const response = await fetch(`${server.url}/parcels`, { headers });
  expect((await response.text()).match(/\n/g)).toHaveLength(3);
  expect(madeFor).toEqual(Array.from({ length: 7 }, () => 'o'));
});
