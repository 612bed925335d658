import { contracts, type ServiceName, urlVariable } from '@assay/contracts/all';
import type { Identity, Operation, Service } from '@assay/contracts/define';
import { permissions } from '@assay/contracts/permissions';
import { asksOf } from '@assay/runtime/bus/asking';
import { type Bus, connectBus } from '@assay/runtime/bus/bus';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import { newId } from '@assay/runtime/ids';
import { createLog, type Log } from '@assay/runtime/log';
import type { RunningService } from '@assay/runtime/service';
import { digestOf, requestAct, sealIdentity, streamedBody } from '@assay/runtime/signature';
import { testConfig } from './config.ts';
import { dropData } from './databases.ts';
import { keysOf } from './keys.ts';
import { poll } from './poll.ts';
import { type Reply, send } from './reply.ts';

type Start = (config: never, log?: Log) => Promise<RunningService>;

/** The services whose configuration has the addresses of others, after these. */
const askers = [['scoring', 'results', 'traces'], ['transfers']];

interface RequestOptions {
  identity?: Partial<Identity>;
  headers?: Record<string, string>;
  /** Sent as it is, in place of a body that is made JSON. */
  raw?: string | Uint8Array;
  /** Aborted when the client goes away. */
  signal?: AbortSignal;
}

/**
 * The organization and services of one test file, on real servers, apart from every other file's.
 */
export interface World extends SharedWorld, AsyncDisposable {
  stop(): Promise<void>;
}

/** A world that the files of a process share, as one organization sees it. */
export interface SharedWorld {
  config: ServiceConfig & OperatorConfig;
  identity: Identity;
  urls: Record<string, string>;
  bus: Bus;
  /**
   * Calls the operation's own service as the gateway would: signed, as an admin of `identity`'s
   * organization.
   */
  request(method: string, path: string, body?: unknown, options?: RequestOptions): Promise<Reply>;
  /**
   * Creates something that the test needs, as a careful client does: sends it again while the
   * service says that it is busy. Returns the body of the reply, and throws when it is a refusal.
   */
  create(path: string, body: unknown): Promise<Reply['body']>;
  /** The header with which the gateway would pass on a request whose body streams. */
  sealed(method: string, path: string, identity?: Partial<Identity>): Record<string, string>;
  /** Returns the same services as another organization sees them. */
  asNewOrganization(): SharedWorld;
}

/**
 * Starts these services at once, each with a fresh database and subjects of its own. Scoring, results,
 * traces and transfers are told where others are, and so start when those run.
 */
export async function startWorld({
  services,
  config: extra = {},
}: {
  services: Record<string, Start>;
  config?: Record<string, unknown>;
}): Promise<World> {
  const config = { ...testConfig(), ...extra } as ServiceConfig & OperatorConfig;
  const log = createLog({ name: 'test', level: config.LOG_LEVEL });
  const running: Record<string, RunningService> = {};
  const startThose = (names: string[]) =>
    Promise.all(
      names.map(async (name) => {
        running[name] = await services[name]!(
          { ...config, ...urlsAsConfig(running) } as never,
          log,
        );
      }),
    );
  const names = Object.keys(services);
  await startThose(names.filter((name) => !askers.flat().includes(name)));
  for (const some of askers) await startThose(names.filter((name) => some.includes(name)));
  const bus = await connectBus({
    urls: config.NATS_URL,
    nats: config,
    name: 'test',
    prefix: config.SUBJECT_PREFIX,
    // A test announces and answers as identity, and hears every process.
    keys: { ...keysOf('identity'), publishedBy: (sender) => keysOf(sender).publishing() },
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    log,
  });
  const urls = Object.fromEntries(Object.entries(running).map(([name, { url }]) => [name, url]));
  const stop = async () => {
    for (const name of names.reverse()) await running[name]!.stop();
    await bus.drain();
    await dropData(config);
  };
  return {
    ...seenByNewOrganization({ config, urls, bus: asWhoeverMay(bus) }),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function seenByNewOrganization({
  config,
  urls,
  bus,
}: Pick<World, 'config' | 'urls' | 'bus'>): SharedWorld {
  const identity: Identity = {
    organizationId: newId(),
    userId: newId(),
    role: 'admin',
    apiKeyId: newId(),
    requestId: 'test',
  };
  return {
    config,
    identity,
    urls,
    bus,
    sealed: (method, path, as) => seal({ ...identity, ...as }, method, path, streamedBody),
    request: (method, path, body, options = {}) =>
      request({ urls, identity }, method, path, body, options),
    create: (path, body) =>
      poll(`POST ${path} is taken`, () =>
        created(() => request({ urls, identity }, 'POST', path, body, {})),
      ),
    asNewOrganization: () => seenByNewOrganization({ config, urls, bus }),
  };
}

/** Undefined while the service is busy. */
async function created(post: () => Promise<Reply>): Promise<Reply['body'] | undefined> {
  const { status, text, body } = await post();
  if (status === 503) return undefined;
  if (status >= 300) throw new Error(`nothing was created: ${status} ${text}`);
  return body;
}

/** `run-records` → `RUN_RECORDS_URL`, as the processes are told in production. */
const urlsAsConfig = (running: Record<string, RunningService>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(running).map(([name, { url }]) => [urlVariable(name as ServiceName), url]),
  );

async function request(
  { urls, identity }: Pick<World, 'urls' | 'identity'>,
  method: string,
  path: string,
  body: unknown,
  { identity: as = {}, headers = {}, raw, signal }: RequestOptions,
): Promise<Reply> {
  const { service, operation } = operationOf(method, path.split('?')[0]!);
  const digest = operation.streams ? streamedBody : digestOf(raw ?? JSON.stringify(body) ?? '');
  const sealed = seal({ ...identity, ...as }, method, path, digest);
  return send(`${urls[service.name]}${path}`, {
    method,
    headers: { ...sealed, ...headers },
    body,
    raw,
    signal,
  });
}

/**
 * For the path as fetch sends it. An operation that is for services is called by the first that may.
 */
function seal(
  identity: Identity,
  method: string,
  path: string,
  digest: string,
): Record<string, string> {
  const { pathname, search } = new URL(path, 'http://service');
  const { service, name, operation } = operationOf(method, path.split('?')[0]!);
  const [caller = 'gateway'] =
    operation.access === 'service' ? processesIn('called', service.name, name) : [];
  return sealIdentity(keysOf(caller), identity, {
    act: requestAct(method, pathname + search),
    digest,
    receiver: service.name,
  });
}

/** The processes that may ask this question, or call this operation. */
const processesIn = (kind: 'asked' | 'called', service: string, name: string) =>
  (permissions[service as ServiceName]?.[kind] as Record<string, readonly string[]>)?.[name] ?? [];

/** A bus on which each question is asked as the first process that may, and events are heard. */
function asWhoeverMay(bus: Bus): Bus {
  const asks = (...contracts: Service[]) =>
    Object.fromEntries(
      contracts.map((contract) => {
        const questions = Object.keys(contract.questions).map((name) => {
          // The operator's questions need no key, and those of an erasure are identity's.
          const [asker = 'identity'] = processesIn('asked', contract.name, name);
          const as = { ...bus, options: { ...bus.options, keys: keysOf(asker) } };
          return [name, asksOf(as, contract)[name]];
        });
        return [contract.name, Object.fromEntries(questions)];
      }),
    );
  return { ...bus, asks: asks as Bus['asks'] };
}

function operationOf(
  method: string,
  path: string,
): { service: Service; name: string; operation: Operation } {
  const segments = path.split('/');
  const matches = (pattern: string) => {
    const parts = pattern.split('/');
    return (
      parts.length === segments.length &&
      parts.every((part, index) => part.startsWith(':') || part === segments[index])
    );
  };
  for (const service of contracts as Service[])
    for (const [name, operation] of Object.entries(service.operations))
      if (operation.method === method && matches(operation.path))
        return { service, name, operation };
  throw new Error(`no operation answers ${method} ${path}`);
}
