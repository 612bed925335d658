import { operation, service } from '@assay/contracts/define';
import { testConfigOfSecret } from '@assay/testing/config';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { organizationContext } from '../../concurrency/organization-context.ts';
import { createServiceClient, type ServiceClient } from '../../http/client.ts';
import { besideOthersHeader } from '../../http/request.ts';
import { keysOfSecret } from '../../keys.ts';
import { serviceIdentity } from '../../signature.ts';
import { type StartedServer, startServer } from './started-server.ts';

const seen = z.object({ isBesideOthers: z.boolean() });
const called = service({
  name: 'called',
  summary: 'Called by another service',
  operations: {
    tell: operation({
      method: 'POST',
      path: '/internal/tell',
      access: 'service',
      summary: 'Tell how it was called',
      body: z.object({}),
      reply: seen,
      status: 200,
    }),
  },
});
const asked = service({
  name: 'asked',
  summary: 'Asked by the gateway',
  operations: {
    passOn: operation({
      method: 'GET',
      path: '/pass-on',
      summary: 'Ask the other service',
      reply: seen,
      status: 200,
    }),
  },
});

const keys = keysOfSecret(testConfigOfSecret().ASSAY_SECRET);
let behind: StartedServer;
let before: StartedServer;
let client: ServiceClient<typeof called>;
beforeAll(async () => {
  const tell = async () => ({ isBesideOthers: organizationContext()?.isBesideOthers === true });
  behind = await startServer(called, { tell }, keys);
  client = createServiceClient({ contract: called, urls: behind.url, keys });
  before = await startServer(
    asked,
    { passOn: async () => client.tell(serviceIdentity('o'), {}) },
    keys,
  );
});
afterAll(async () => {
  await before.close();
  await client.close();
  await behind.close();
});

test('what a service calls for a request learns that others use the installation', async () => {
  const askWith = async (more: Record<string, string>) => {
    const headers = { ...before.callHeaders('GET', '/pass-on'), ...more };
    return (await fetch(`${before.url}/pass-on`, { headers })).json();
  };
  expect(await askWith({})).toEqual({ isBesideOthers: false });
  expect(await askWith({ [besideOthersHeader]: '1' })).toEqual({ isBesideOthers: true });
});
