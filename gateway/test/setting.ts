import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  request as openRequest,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import type { Identity } from '@assay/contracts/define';
import { identity, type RequestWish } from '@assay/contracts/identity';
import { hashOf, newKey } from '@assay/runtime/api-key';
import type { Bus } from '@assay/runtime/bus/bus';
import { storedHeaders } from '@assay/runtime/bus/sealed-messages';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { serviceIdentity } from '@assay/runtime/signature';
import { startWorld, type World } from '@assay/testing/world';
import type { GatewayConfig } from '../src/config.ts';
import { type RunningGateway, start } from '../src/gateway.ts';

export type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** What a fake service saw of a request. */
export interface SeenRequest {
  method: string;
  url: string;
  headers: Record<string, string>;
  bytes: number;
  text: string;
}

/** A service whose behaviour a test chooses; it echoes what it got where the test says nothing. */
export interface FakeService {
  url: string;
  behave(listener: Listener): void;
  stop(): Promise<void>;
}

export async function startFakeService(port = 0): Promise<FakeService> {
  let listener: Listener = echo;
  const server = createServer((request, response) => listener(request, response));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    behave: (next) => {
      listener = next;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of request) chunks.push(chunk as Buffer);
  } catch {
    return;
  }
  const body = Buffer.concat(chunks);
  const seen = {
    method: request.method,
    url: request.url,
    headers: request.headers,
    bytes: body.length,
    text: body.toString().slice(0, 2000),
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(seen));
}

/** Tells the gateways what identity would tell them. */
export function announce(bus: Bus, event: 'keyRevoked' | 'memberChanged', content: object): void {
  const { connection, options } = bus;
  const subject = subjectOf(options.prefix, 'event', 'identity', event);
  const payload = JSON.stringify(content);
  const headers = storedHeaders(options, {
    subject,
    id: randomUUID(),
    identity: serviceIdentity(''),
    payload,
  });
  connection.publish(subject, payload, { headers });
}

interface SecretHashes {
  secretHashes: string[];
}

/** Keys as a test hands them out, and the answers of identity to them. */
export interface FakeIdentity {
  asked: number;
  /** Questions about many secrets. */
  askedTogether: number;
  key(caller?: {
    organizationId?: string;
    userId?: string;
    role?: 'admin' | 'member';
    expiresAtMs?: number | null;
  }): string;
  revoke(key: string): void;
  /** What is awaited before each answer. */
  before: () => Promise<void>;
}

export function answerAsIdentity(bus: Bus): FakeIdentity {
  const callers = new Map<string, object>();
  const fake: FakeIdentity = {
    asked: 0,
    askedTogether: 0,
    before: async () => undefined,
    key: (caller = {}) => {
      const key = newKey();
      const standard = {
        organizationId: randomUUID(),
        userId: randomUUID(),
        role: 'admin',
        apiKeyId: randomUUID(),
        expiresAtMs: null,
      };
      callers.set(hashOf(key), { outcome: 'valid', ...standard, ...caller });
      return key;
    },
    revoke: (key) => callers.delete(hashOf(key)),
  };
  const verifyKey = async (_identity: unknown, { keyHash }: { keyHash: string }) => {
    fake.asked += 1;
    const answer = callers.get(keyHash) ?? { outcome: 'unknown' };
    await fake.before();
    return answer;
  };
  const findHeldSecrets = async (_identity: unknown, { secretHashes }: SecretHashes) => {
    fake.askedTogether += 1;
    return { held: secretHashes.filter((hash) => callers.has(hash)) };
  };
  const taken = new Map<string, number>();
  const takeRequests = async ({ organizationId }: Identity, wish: RequestWish) => {
    const before = Math.max(0, (taken.get(organizationId) ?? 0) - wish.returned);
    const granted = Math.max(0, Math.min(wish.wanted, wish.limit - before));
    taken.set(organizationId, before + granted);
    return { granted, taken: before + granted, resetsInMs: 60_000 };
  };
  const { verifyKey: one, findHeldSecrets: many, takeRequests: some } = identity.questions;
  bus.answer(
    {
      ...identity,
      questions: { verifyKey: one, findHeldSecrets: many, takeRequests: some },
    } as never,
    { verifyKey, findHeldSecrets, takeRequests } as never,
  );
  return fake;
}

export interface Setting extends AsyncDisposable {
  world: World;
  gateway: RunningGateway;
  service: FakeService;
  identity: FakeIdentity;
  config: GatewayConfig;
  /** Sends a request below /v2 with a good admin key. */
  send(method: string, path: string, options?: RequestInit): Promise<Response>;
  key: string;
  stop(): Promise<void>;
}

/**
 * A gateway on a real bus, with a fake identity and one fake service in the place of all others.
 */
export async function startSetting(change: Partial<GatewayConfig> = {}): Promise<Setting> {
  const world = await startWorld({ services: {} });
  const service = await startFakeService();
  const identityOnBus = answerAsIdentity(world.bus);
  await world.bus.connection.flush();
  const config = gatewayConfigOf(world, service.url, change);
  const gateway = await start(config);
  const key = identityOnBus.key();
  const stop = async () => {
    await gateway.stop();
    await service.stop();
    await world.stop();
  };
  return {
    world,
    gateway,
    service,
    identity: identityOnBus,
    config,
    key,
    send: (method, path, options = {}) =>
      fetch(`${gateway.url}/v2${path}`, {
        method,
        ...options,
        headers: { authorization: `Bearer ${key}`, ...options.headers },
      }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

export const gatewayConfigOf = (
  world: World,
  url: string,
  change: Partial<GatewayConfig>,
): GatewayConfig =>
  ({
    ...world.config,
    ...Object.fromEntries(serviceNames.map((name) => [urlVariable(name), url])),
    RATE_LIMIT_PER_MINUTE: 1_000_000,
    UPSTREAM_TIMEOUT_MS: 10_000,
    ...change,
  }) as GatewayConfig;

export interface RawReply {
  status: number;
  headers: IncomingMessage['headers'];
  text: string;
}

/**
 * Sends a request as node:http does: `write` gets the open request, so that a test decides how its
 * body goes.
 */
export function sendRaw(
  url: string,
  options: { method: string; headers: Record<string, string> },
  write: (request: ReturnType<typeof openRequest>) => void,
): Promise<RawReply> {
  return new Promise((resolve, reject) => {
    const request = openRequest(url, { ...options, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('error', reject);
      response.once('end', () =>
        resolve({
          status: response.statusCode!,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
    });
    request.once('error', reject);
    write(request);
  });
}
