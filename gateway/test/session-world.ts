import { identity } from '@assay/contracts/identity';
import { start as startIdentity } from '@assay/identity/service';
import { hashOf, makeKey, newLoginToken } from '@assay/runtime/api-key';
import { createLog } from '@assay/runtime/log';
import { operatorIdentity } from '@assay/runtime/signature';
import { startWorld } from '@assay/testing/world';
import { expect } from 'vitest';
import { start } from '../src/gateway.ts';
import { gatewayConfigOf, startFakeService } from './setting.ts';

interface RequestParts {
  gateway?: number;
  body?: object | string;
  headers?: Record<string, string>;
}

/** The headers of a session, as the console sends them. */
export interface Session extends Record<string, string> {
  cookie: string;
  'x-assay-console': string;
}

export const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
export const sameOrigin = { 'sec-fetch-site': 'same-origin' };
/** Of a request for a session. */
export const fromConsole = { ...sameOrigin, 'x-assay-console': '1' };

export const sessionIn = ({ headers }: { headers: Headers }): Session => ({
  cookie: headers.get('set-cookie')!.split(';')[0]!,
  'x-assay-console': headers.get('x-assay-console')!,
});

/** The secret of the cookie. */
export const secretIn = ({ cookie }: Session) => cookie.slice(cookie.indexOf('=') + 1);

export type SessionWorld = Awaited<ReturnType<typeof startSessionWorld>>;

/**
 * Three gateways before the real identity and one fake service in the place of all others; clients
 * reach the third by https.
 */
export async function startSessionWorld() {
  const world = await startWorld({ services: { identity: startIdentity } });
  const service = await startFakeService();
  const logged: string[] = [];
  const log = createLog({
    name: 'test',
    level: 'trace',
    destination: { write: (line: string) => void logged.push(line) },
  });
  const config = { ...gatewayConfigOf(world, service.url, {}), IDENTITY_URL: world.urls.identity! };
  const gateways = await Promise.all([
    start(config, log),
    start(config, log),
    start({ ...config, PUBLIC_URL: 'https://assay.example.com/v2' }, log),
  ]);
  const ask = () => world.bus.asks(identity).identity;

  async function send(
    method: string,
    path: string,
    { gateway = 0, body, headers = {} }: RequestParts = {},
  ) {
    const type: Record<string, string> =
      body === undefined ? {} : { 'content-type': 'application/json' };
    const reply = await fetch(`${gateways[gateway]!.url}/v2${path}`, {
      method,
      headers: { ...type, ...headers },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await reply.text();
    return {
      status: reply.status,
      headers: reply.headers,
      text,
      // biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a reply, and checks it.
      body: (text === '' ? undefined : JSON.parse(text)) as any,
    };
  }

  const cookieName = (gateway = 0) => `assay-${new URL(gateways[gateway]!.url).port}`;
  /** A session as a browser has it that reaches all gateways by the name and port of this one. */
  const behind = (session: Session, gateway: number): Session => ({
    ...session,
    cookie: session.cookie.replace(/^assay-\d+/, cookieName(gateway)),
  });

  return {
    service,
    gateways,
    logged,
    send,
    cookieName,
    behind,
    async newOrganization(name = 'Example Ltd') {
      const { key, kept } = makeKey();
      const { organization } = await ask().createOrganization(operatorIdentity, {
        name,
        key: kept,
      });
      return { id: organization.id, key };
    },
    async signIn(key: string, gateway = 0): Promise<Session> {
      const reply = await send('POST', '/session', { gateway, headers: bearer(key) });
      expect([reply.status, reply.text]).toEqual([204, '']);
      return sessionIn(reply);
    },
    async loginToken(member: string): Promise<string> {
      const token = newLoginToken();
      await ask().createLoginToken(operatorIdentity, { member, tokenHash: hashOf(token) });
      return token;
    },
    statusOf: async (session: Session, gateway = 0) =>
      (await send('GET', '/me', { gateway, headers: behind(session, gateway) })).status,
    async stop() {
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await service.stop();
      await world.stop();
    },
  };
}
