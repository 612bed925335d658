import type { Identity, Operation, Service } from '@assay/contracts/define';
import { Failure, unanswered } from '@assay/contracts/failure';
import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import { organizationContext } from '../concurrency/organization-context.ts';
import type { ProcessKeys } from '../keys.ts';
import {
  type Act,
  digestOf,
  noBody,
  requestAct,
  sealIdentity,
  streamedBody,
} from '../signature.ts';
import { ownForm, parseBodyAside } from './body.ts';
import { fromLines } from './lines.ts';
import { notServedHeader } from './reply.ts';
import { besideOthersHeader } from './request.ts';
import { compileSerializer } from './serialize.ts';
import { avoid, createUpstream, type Upstream } from './upstreams.ts';

type Body<Definition extends Operation> = Definition extends {
  body: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : undefined;
type Answer<Definition extends Operation> = Definition extends {
  line: infer Line extends z.ZodType;
}
  ? AsyncIterable<z.output<Line>>
  : Definition extends { replyStreams: readonly string[] }
    ? AsyncIterable<Uint8Array>
    : Promise<
        Definition extends { reply: infer Schema extends z.ZodType } ? z.output<Schema> : undefined
      >;

/** The content of a call: a body by its schema, or the bytes of one that streams and its query. */
type SentContent<Definition extends Operation> = Definition extends { streams: readonly string[] }
  ? { query: Record<string, string>; bytes: Buffer | AsyncIterable<Uint8Array> }
  : Body<Definition>;

/**
 * A service's operations for other services, called over HTTP: for payloads too large for the bus.
 * One whose reply is lines returns their values as they come in, and another that streams its bytes;
 * it is asked when the first is read.
 */
export type ServiceClient<Definition extends Service> = {
  [Name in keyof Definition['operations']]: (
    identity: Identity,
    sent: SentContent<Definition['operations'][Name]>,
  ) => Answer<Definition['operations'][Name]>;
} & { close: () => Promise<void> };

const timeoutMs = 30_000;

/**
 * Creates a client for the operations of a contract that only services may call. Their paths have
 * no parameters, and they may be repeated: a call that one replica does not answer goes to the
 * next, but for one whose body is a stream. Each throws the called service's Failure, or SERVICE_UNAVAILABLE if no replica answers.
 * @param urls base URLs of the service's replicas, separated by commas.
 */
export function createServiceClient<Definition extends Service>({
  contract,
  urls,
  keys,
}: {
  contract: Definition;
  urls: string;
  keys: ProcessKeys;
}): ServiceClient<Definition> {
  const upstream = createUpstream({ service: contract.name, urls, timeoutMs });
  const sealer: Sealer = (identity, act, digest) => ({
    ...sealIdentity(
      keys,
      { ...identity, role: 'service' },
      { act, digest, receiver: contract.name },
    ),
    ...(organizationContext()?.isBesideOthers && { [besideOthersHeader]: '1' }),
  });
  const calls = Object.entries(contract.operations)
    .filter(([, definition]) => definition.access === 'service')
    .map(
      ([name, definition]) =>
        [
          name,
          (definition.replyStreams ? createStreamCall : createCall)(upstream, definition, sealer),
        ] as const,
    );
  return {
    ...Object.fromEntries(calls),
    close: upstream.close,
  } as unknown as ServiceClient<Definition>;
}

/** Signs a call for the organization and member of an identity: the headers that say so. */
type Sealer = (identity: Identity, act: Act, digest: string) => Record<string, string>;

function createCall(upstream: Upstream, definition: Operation, sealer: Sealer) {
  const form = ownForm(definition.reply!);
  const seal = createSealing(definition, sealer);
  return async (identity: Identity, value: unknown) => {
    const { timeoutMs } = definition;
    const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
    const { status, content } = await send(upstream, definition, {
      ...seal(identity, value),
      signal,
      receive: wholeBody,
    });
    if (status >= 400) throw failureOf(content);
    return parseBodyAside(content, form);
  };
}

function createStreamCall(upstream: Upstream, definition: Operation, sealer: Sealer) {
  const seal = createSealing(definition, sealer);
  return async function* (identity: Identity, value: unknown) {
    // Nobody reads the lines when the client of the request has gone.
    const signal = organizationContext()?.signal;
    const { status, content } = await send(upstream, definition, {
      ...seal(identity, value),
      signal,
      receive: async (body) => body,
    });
    if (status >= 400) throw failureOf(await wholeBody(content));
    try {
      yield* definition.line ? fromLines(content) : content;
    } catch (error) {
      throw error instanceof Failure ? error : unanswered(error);
    }
  };
}

/** The body of a call, and what signs it. */
function createSealing(definition: Operation, sealer: Sealer) {
  if (definition.streams) return createSealingOfStream(definition, sealer);
  const serialize = definition.body && compileSerializer(definition.body);
  const { path } = definition;
  const act = requestAct(definition.method, path);
  return (identity: Identity, value: unknown) => {
    const body = serialize
      ? Buffer.concat(serialize(value).map((part) => Buffer.from(part as Uint8Array)))
      : null;
    const digest = body ? digestOf(body) : noBody;
    return {
      path,
      contentType: 'application/json',
      body,
      seal: () => sealer(identity, act, digest),
    };
  };
}

/** The same for a body that the service reads as it comes in, whose digest nobody knows. */
function createSealingOfStream({ method, path: asked, streams }: Operation, sealer: Sealer) {
  return (identity: Identity, sent: unknown) => {
    const { query, bytes: body } = sent as {
      query: Record<string, string>;
      bytes: NonNullable<SentBody>;
    };
    const path = `${asked}?${new URLSearchParams(query)}`;
    const act = requestAct(method, path);
    return {
      path,
      contentType: streams![0]!,
      body,
      seal: () => sealer(identity, act, streamedBody),
    };
  };
}

type ReplyBody = Dispatcher.ResponseData['body'];

const wholeBody = async (body: ReplyBody): Promise<Buffer> => Buffer.from(await body.arrayBuffer());

const failureOf = (bytes: Buffer): Failure => Failure.fromWire(JSON.parse(bytes.toString()));

const isTimeout = (reason: unknown): boolean => (reason as Error).name === 'TimeoutError';

/** Bytes that come one after the other can be sent once. */
type SentBody = Buffer | AsyncIterable<Uint8Array> | null;

interface SentRequest<Content> {
  path: string;
  contentType: string;
  body: SentBody;
  /** Each attempt is sealed anew: a seal lives no longer than an attempt may take. */
  seal: () => Record<string, string>;
  signal?: AbortSignal | undefined;
  receive: (body: ReplyBody) => Promise<Content>;
}

/**
 * Why a process looked at nothing of a call, so that another may take it. An operation for services
 * refuses no caller: where it does not take the signature, the clocks of the two differ, or their
 * keys.
 */
function refusalOf(status: number, replied: Record<string, unknown>): string | undefined {
  if (replied[notServedHeader] !== undefined) return 'the process is starting';
  return status === 401 ? 'the process did not take the signature' : undefined;
}

async function send<Content>(
  upstream: Upstream,
  { method }: Operation,
  { path, contentType, body: sent, seal, signal, receive }: SentRequest<Content>,
) {
  let fault: unknown;
  const isStream = sent !== null && !Buffer.isBuffer(sent);
  for (const replica of upstream.inTurn()) {
    try {
      const headers = { 'content-type': contentType, ...seal() };
      const {
        statusCode: status,
        body,
        headers: replied,
      } = await replica.pool.request({
        method,
        path,
        headers,
        body: sent as Buffer | null,
        // The reply to a stream comes after its end.
        ...(isStream ? { headersTimeout: 0 } : {}),
        signal: signal ?? null,
      });
      const refusal = refusalOf(status, replied);
      if (refusal !== undefined) {
        await body.dump();
        throw new Error(refusal);
      }
      return { status, content: await receive(body) };
    } catch (error) {
      const isTooLate = signal?.aborted && isTimeout(signal.reason);
      if (signal?.aborted && !isTooLate) throw signal.reason;
      avoid(replica);
      fault = error;
      if (isStream || isTooLate) break;
    }
  }
  throw unanswered(fault);
}
