import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { start } from '../src/server.ts';
import { connectAgent } from './agent.ts';

/** An API in which every key is of one organization, and no payload comes before it is let go. */
async function startApi() {
  const held: ServerResponse[] = [];
  const seen = { callers: 0, payloads: 0 };
  const server = createServer(({ url = '' }, response) => {
    const path = new URL(url, 'http://api').pathname;
    response.setHeader('content-type', 'application/json');
    if (path.endsWith('/me')) {
      seen.callers += 1;
      return response.end(JSON.stringify({ role: 'admin', organization: { id: 'o', name: 'O' } }));
    }
    if (path.includes('/payloads/')) {
      seen.payloads = Math.max(seen.payloads, held.push(response));
      return;
    }
    return response.end(JSON.stringify({ id: 'r', runId: 'run', data: [], nextCursor: null }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return { server, held, seen, url: `http://127.0.0.1:${port}` };
}

test('large payloads are read two at a time for an organization, whatever keys it has', async () => {
  const api = await startApi();
  const mcp = await start({
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent',
    ASSAY_REVISION: 'unknown',
    GATEWAY_URL: api.url,
  });
  const agents = await Promise.all(
    ['ak_1', 'ak_2', 'ak_3'].map((key) => connectAgent({ url: mcp.url, key })),
  );
  const before = api.seen.callers;
  const calls = agents.flatMap((agent) =>
    [1, 2].map(() => agent.call('get_record', { recordId: 'r', at: '/outputs' })),
  );
  // Each call asks who it is for, for its tools and for its turn.
  await poll('all have asked', () => api.seen.callers >= before + 2 * calls.length);
  await poll('two are read', () => api.held.length === 2);
  let done = 0;
  for (const call of calls) void call.then(() => done++);
  await poll('all are answered', () => {
    api.held.shift()?.end('{"answer":"so"}');
    return done === calls.length;
  });
  expect(api.seen.payloads).toBe(2);
  for (const agent of agents) await agent[Symbol.asyncDispose]();
  await mcp.stop();
  api.server.close();
});
