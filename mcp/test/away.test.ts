import { freePort } from '@assay/local/port';
import { expect, test } from 'vitest';
import { start } from '../src/server.ts';
import { connectAgent } from './agent.ts';

test('while the API is away, tools are listed, and a call is answered by a sentence', async () => {
  const mcp = await start({
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent',
    ASSAY_REVISION: 'unknown',
    GATEWAY_URL: `http://127.0.0.1:${await freePort()}`,
  });
  const agent = await connectAgent({ url: mcp.url, key: 'ak_1' });
  expect(await agent.fails('overview')).toBe(
    'Assay does not answer at the moment: call the tool again later.',
  );
  await agent[Symbol.asyncDispose]();
  await mcp.stop();
});
