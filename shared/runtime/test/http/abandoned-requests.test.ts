import { operation, service } from '@assay/contracts/define';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createOrganizationQueue } from '../../concurrency/organization-context.ts';
import { type StartedServer, startServer } from './started-server.ts';

const parcel = z.object({ name: z.string() });
const contract = service({
  name: 'parcels',
  summary: 'Parcels',
  operations: {
    checkParcel: operation({
      method: 'POST',
      path: '/parcels',
      summary: 'Check, one at a time',
      body: parcel,
      reply: parcel,
      status: 201,
    }),
  },
});

const inTurn = createOrganizationQueue({ permits: 1 });
const seen = { asked: 0, dropped: 0, checked: [] as string[] };
let finish = () => {};
const finished = new Promise<void>((resolve) => (finish = resolve));

let server: StartedServer;
beforeAll(async () => {
  server = await startServer(contract, {
    checkParcel: ({ body }) => {
      seen.asked += 1;
      const checked = inTurn(async () => {
        seen.checked.push(body.name);
        await finished;
        return body;
      });
      checked.catch(() => (seen.dropped += 1));
      return checked;
    },
  });
});
afterAll(() => server.close());

function check(name: string, options: { signal?: AbortSignal } = {}): Promise<Response> {
  const headers = {
    'content-type': 'application/json',
    ...server.callHeaders('POST', '/parcels'),
  };
  return fetch(`${server.url}/parcels`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ name }),
    ...options,
  });
}

test('work that waits for its turn is dropped when the client goes, and work that has begun is finished', async () => {
  const begun = check('begun');
  await poll('the first has its turn', () => seen.checked.length === 1);
  const leaving = new AbortController();
  const left = check('left', { signal: leaving.signal });
  const stays = check('stays');
  await poll('two wait', () => seen.asked === 3);
  leaving.abort();
  await expect(left).rejects.toThrow();
  await poll('one is dropped', () => seen.dropped === 1);
  finish();
  expect([(await begun).status, (await stays).status, seen.checked]).toEqual([
    201,
    201,
    ['begun', 'stays'],
  ]);
});
