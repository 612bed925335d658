import { freePort } from '@assay/local/port';
import { expect, test } from 'vitest';
import { shareInstallation } from '../../test/system/installation.ts';
import { start } from '../src/server.ts';
import { connectAgent } from './agent.ts';

const away = async () => `http://127.0.0.1:${await freePort()}`;
const startBefore = (gateways: string) =>
  start({
    HOST: '127.0.0.1',
    PORT: 0,
    LOG_LEVEL: 'silent',
    ASSAY_REVISION: 'unknown',
    GATEWAY_URL: gateways,
  });
const dependenciesOf = async ({ url }: { url: string }) =>
  (await fetch(`${url}/healthz/dependencies`)).status;

test('while the API is away, tools are listed, and a call is answered by a sentence', async () => {
  const mcp = await startBefore(await away());
  const agent = await connectAgent({ url: mcp.url, key: 'ak_1' });
  expect(await agent.fails('overview')).toBe(
    'Assay does not answer at the moment: call the tool again later.',
  );
  expect(await dependenciesOf(mcp)).toBe(503);
  await agent[Symbol.asyncDispose]();
  await mcp.stop();
});

test('while one of several gateways is away, each call is answered by another', async () => {
  const { url, key } = await shareInstallation();
  const mcp = await startBefore(`${await away()}, ${url}/, ${await away()}`);
  const agent = await connectAgent({ url: mcp.url, key });
  for (let calls = 0; calls < 4; calls++)
    expect(await agent.call('overview')).toHaveProperty('organization');
  expect(await dependenciesOf(mcp)).toBe(200);
  await agent[Symbol.asyncDispose]();
  await mcp.stop();
});
