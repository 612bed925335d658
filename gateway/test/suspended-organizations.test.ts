import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { hashOf, makeKey, newLoginToken } from '@assay/runtime/api-key';
import { operatorIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { expect, test } from 'vitest';
import { start } from '../src/gateway.ts';
import { gatewayConfigOf } from './setting.ts';

async function newOrganization(ask: ReturnType<typeof asksOf>) {
  const { key, kept } = makeKey();
  return { ...(await ask.createOrganization(operatorIdentity, { name: 'o', key: kept })), key };
}

const asksOf = (world: World) => world.bus.asks(identity).identity;

test('the keys, sessions, sign-in links and device logins of a suspended organization are refused with a 403 at every gateway, and are good again afterwards', async () => {
  await using world = await startWorld({ services: { identity: startIdentity } });
  const gateways = await Promise.all(
    [0, 1].map(() => start(gatewayConfigOf(world, world.urls.identity!, {}))),
  );
  const ask = asksOf(world);
  const [{ organization, key }, other] = await Promise.all([
    newOrganization(ask),
    newOrganization(ask),
  ]);
  const [token, spare] = [newLoginToken(), newLoginToken()];
  for (const each of [token, spare])
    await ask.createLoginToken(operatorIdentity, {
      member: organization.id,
      tokenHash: hashOf(each),
    });
  const statuses = (as = key) =>
    Promise.all(
      gateways.map(
        async ({ url }) =>
          (await fetch(`${url}/v2/organization`, { headers: { authorization: `Bearer ${as}` } }))
            .status,
      ),
    );
  const signIn = (token: string) =>
    fetch(`${gateways[0]!.url}/v2/session`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'sec-fetch-site': 'same-origin',
        'x-assay-console': '1',
      },
      body: JSON.stringify({ token }),
    });
  const session = await signIn(token);
  const headers = {
    cookie: session.headers.get('set-cookie')!.split(';', 1)[0]!,
    'x-assay-console': session.headers.get('x-assay-console')!,
  };
  const inSession = () => fetch(`${gateways[0]!.url}/v2/me`, { headers });
  expect((await inSession()).status).toBe(200);
  expect(await statuses()).toEqual([200, 200]);

  const asked = await fetch(`${gateways[0]!.url}/v2/session/device`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ clientName: 'laptop' }),
  });
  const login = (await asked.json()) as { deviceCode: string; verificationPath: string };
  const userCode = login.verificationPath.split('code=')[1]!;
  const approved = await fetch(`${gateways[0]!.url}/v2/session/device/${userCode}/approve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  });
  expect(approved.status).toBe(200);

  await ask.suspendOrganization(operatorIdentity, { organizationId: organization.id });
  await poll('both gateways refuse', async () => String(await statuses()) === '403,403');
  const refused = await inSession();
  expect([refused.status, await refused.json()]).toEqual([
    403,
    {
      code: 'FORBIDDEN',
      message: expect.stringMatching(/^This organization is suspended: /),
      details: {},
    },
  ]);
  expect((await signIn(spare)).status).toBe(403);
  const device = await fetch(`${gateways[0]!.url}/v2/session/device/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ deviceCode: login.deviceCode }),
  });
  expect(device.status).toBe(403);
  expect(await statuses(other.key)).toEqual([200, 200]);

  await ask.resumeOrganization(operatorIdentity, { organizationId: organization.id });
  await poll('both gateways serve', async () => String(await statuses()) === '200,200');
  await poll('the session is good', async () => (await inSession()).status === 200);
  expect((await signIn(spare)).status).toBe(204);
  await Promise.all(gateways.map((gateway) => gateway.stop()));
});
