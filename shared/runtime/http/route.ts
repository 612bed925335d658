import { setMaxListeners } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import {
  type BytesReply,
  bodyBytesDefault,
  type Identity,
  isReadOnly,
  type List,
  type Operation,
  type ProtocolReply,
  queryOf,
  type Service,
  type SessionReply,
  type StreamReply,
} from '@assay/contracts/define';
import { unavailable } from '@assay/contracts/failure';
import { mayCall } from '@assay/contracts/permissions';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { createFairSemaphore, type FairSemaphore } from '../concurrency/fair-semaphore.ts';
import { createFairShare, type FairShare } from '../concurrency/fair-share.ts';
import {
  inOrganizationContext,
  type OrganizationContext,
  streamInOrganizationContext,
} from '../concurrency/organization-context.ts';
import type { ProcessKeys } from '../keys.ts';
import type { Metrics } from '../metrics.ts';
import {
  checkBody,
  noBody,
  openIdentity,
  ownKeys,
  requestAct,
  streamedBody,
  unsigned,
} from '../signature.ts';
import { type BodyForm, bodyForm, inlineBytesMax, ownForm, parseBodyAside } from './body.ts';
import { holdReply, receiveBody } from './body-memory.ts';
import { listKey, pageReply, pageRequest } from './cursor.ts';
import type { Idempotency } from './idempotency.ts';
import { bytesReply } from './ranges.ts';
import { consoleHeader, type Reply, send, sessionSecretHeader } from './reply.ts';
import {
  besideOthersHeader,
  checkAccess,
  checkSender,
  invalidFrom,
  openParams,
} from './request.ts';
import { compileSerializer, replyBody } from './serialize.ts';

/** An operation's route, and the work for a request of it. */
export interface Route {
  definition: Operation | List;
  handle: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>;
}

interface RouteOptions {
  contract: Service;
  name: string;
  definition: Operation | List;
  handler: (request: never) => Promise<unknown>;
  keys: ProcessKeys;
  idempotency: Idempotency;
  metrics: Metrics;
  bounds: RequestBounds;
}

/** The bounds that all operations of a service share. */
export interface RequestBounds {
  /** Requests in progress, but for those whose bodies stream in as slowly as their clients like. */
  underWay: FairShare;
  /** Large bodies take turns. */
  inTurn: FairSemaphore;
}

export const createRequestBounds = (): RequestBounds => ({
  underWay: createFairShare(requestsMax),
  inTurn: createFairSemaphore({ permits: workedOnBytesMax, turnMaxMs }),
});

/**
 * The requests of one organization that a service works on at once, as many as two gateways let
 * wait; others have a reserve. Bounds requests whose client has disconnected: the gateway no longer
 * counts them, but their work continues.
 */
const requestsMax = 1024;

/**
 * Bytes of large bodies that a service works on at once: 15 MiB alone, and many of 300 KiB.
 * Checking and storing one fills a core; one after another they leave one for small requests (ADR
 * 22).
 */
const workedOnBytesMax = 16 * 1024 * 1024;
/**
 * The time after which the next large body no longer waits for this one, in ms: several times the
 * time that the largest takes. So a body that waits for something else, or for a slow schema, does
 * not delay the others for longer.
 */
const turnMaxMs = 2000;

/**
 * A request's way: signature → access → path → query → bytes of the body → handler, which reads
 * them → reply.
 */
export function createRoute({
  name,
  definition,
  handler,
  contract,
  keys,
  idempotency,
  metrics,
  bounds: { underWay, inTurn },
}: RouteOptions): Route {
  const query = queryOf(definition);
  const formOf = definition.access === 'service' ? ownForm : bodyForm;
  const form = definition.body && formOf(definition.body);
  const operation = `${contract.name}.${name}`;
  const reply = createReply(definition, keys, operation);
  const time = metrics.operation(name);
  const bodyBytesMax = definition.bodyBytesMax ?? bodyBytesDefault;
  const weight = definition.streams ? 0 : 1;

  const listOf = (
    { organizationId }: Identity,
    params: object,
    query: Record<string, unknown>,
  ): string =>
    listKey({
      operation,
      organizationId,
      params,
      filters: withoutPage(query),
    });

  const isForServices = definition.access === 'service';
  const isPermitted = (caller: string): boolean =>
    mayCall(caller, { service: contract.name, operation: name, isForServices });

  /** Performs the checks that come before the body is read. */
  function open(request: FastifyRequest) {
    const { identity, digest, sender } = openSignature(keys, request);
    checkSender(sender, isPermitted, operation);
    if (definition.streams) checkStream(request, digest);
    request.id = identity.requestId;
    checkAccess(definition, identity);
    const params = openParams(definition, request.params as Record<string, string>);
    const parsedQuery = query ? check(query, request.query, '?') : {};
    const list = 'item' in definition ? listOf(identity, params, parsedQuery) : '';
    const page =
      'item' in definition ? pageRequest(ownKeys(keys), list, parsedQuery as never) : undefined;
    return { identity, params, query: parsedQuery, page, list, digest };
  }

  async function answer(
    request: FastifyRequest,
    { list, digest, ...opened }: ReturnType<typeof open>,
    bytes: Buffer | undefined,
  ): Promise<Reply> {
    let listed = list;
    // Read once: an operation with an Idempotency-Key runs again when its transaction does.
    let reading: Promise<unknown> | undefined;
    const readOnce = () => {
      reading ??= readBody(definition, bytes, form!);
      return reading;
    };
    const run = async (idempotencyKey: unknown) => {
      const body = (definition.body ? await readOnce() : undefined) as Record<string, unknown>;
      let { page } = opened;
      if ('found' in definition) {
        const terms = body as { limit: number; cursor?: string | null };
        listed = listOf(opened.identity, opened.params, {
          ...opened.query,
          terms: withoutPage(body),
        });
        page = pageRequest(ownKeys(keys), listed, terms, '/cursor');
      }
      return handler({
        ...opened,
        page,
        idempotencyKey,
        body,
        bytes: definition.bytes ? (bytes ?? Buffer.alloc(0)) : undefined,
        stream: definition.streams ? (request.body ?? Readable.from([])) : undefined,
        contentType: request.headers['content-type'],
        contentLength: lengthOf(request),
        lastEventId: request.headers['last-event-id'],
        projectHeader: request.headers['x-assay-project'],
      } as never);
    };
    return idempotency({
      definition,
      identity: opened.identity,
      request,
      bytes,
      run,
      reply: (value) => reply(value, listed, request.raw.headers),
    });
  }

  return {
    definition,
    handle: async (request, response) => {
      const opened = open(request);
      const { organizationId } = opened.identity;
      const isBesideOthers = request.headers[besideOthersHeader] !== undefined;
      const forWhom = { organizationId, isBesideOthers };
      const received =
        request.body && !definition.streams
          ? await receiveBody(request.raw, { organizationId, bytesMax: bodyBytesMax })
          : undefined;
      const done = time();
      const isTaken = underWay.tryToTake(organizationId, weight);
      try {
        if (!isTaken)
          throw unavailable('A part of the service takes no more requests at the moment.');
        const bytes = received?.bytes;
        if (!definition.streams) checkBody(opened.digest, bytes);
        const work = () =>
          inOrganizationContext(contextOf(forWhom, definition, response), () =>
            answer(request, opened, bytes),
          );
        const answered = await (bytes && bytes.length > inlineBytesMax
          ? inTurn(organizationId, work, { permits: bytes.length })
          : work());
        done(answered.status);
        holdReply(answered.body, response.raw, {
          organizationId,
          mayRefuse: isReadOnly(definition),
        });
        return send(response, madeFor(forWhom, answered));
      } finally {
        if (isTaken) underWay.giveBack(organizationId, weight);
        received?.release(response.raw);
      }
    },
  };
}

/**
 * A body that streams is made while it is sent. When its client goes it is ended by the stream
 * itself, which closes its cursors: a signal would keep the driver from telling the database.
 */
const madeFor = (context: OrganizationContext, reply: Reply): Reply =>
  typeof reply.body === 'object' && !Buffer.isBuffer(reply.body)
    ? { ...reply, body: streamInOrganizationContext(context, reply.body) }
    : reply;

/**
 * Returns the context of a request. When the client disconnects, users' work that waits for its
 * turn is dropped, and the reads of a request that only reads end. All other work continues, because writes may have
 * begun.
 */
function contextOf(
  forWhom: OrganizationContext,
  definition: Operation,
  { raw }: FastifyReply,
): OrganizationContext {
  let leaving: AbortController | undefined;
  return {
    ...forWhom,
    writes: !isReadOnly(definition),
    // Made when it is asked for: most requests never do.
    get signal() {
      leaving ??= abortedWithout(raw);
      return leaving.signal;
    },
  };
}

function abortedWithout(response: FastifyReply['raw']): AbortController {
  const leaving = new AbortController();
  // A request may have many reads under way at once.
  setMaxListeners(0, leaving.signal);
  const leave = () => leaving.abort(unavailable('The client went away.'));
  if (response.destroyed) leave();
  else response.once('close', () => response.writableFinished || leave());
  return leaving;
}

const openSignature = (keys: ProcessKeys, { raw }: FastifyRequest) =>
  openIdentity(
    keys,
    (name) => raw.headers[name] as string | undefined,
    requestAct(raw.method!, raw.url!),
  );

/**
 * A body that streams is handed on before its digest is known, so one that was signed with a digest
 * is none of the gateway's.
 */
function checkStream({ raw: { headers } }: FastifyRequest, digest: string): void {
  const isEmpty =
    headers['transfer-encoding'] === undefined && (headers['content-length'] ?? '0') === '0';
  if (digest !== streamedBody && !(digest === noBody && isEmpty)) throw unsigned();
}

function createReply(
  definition: Operation | List,
  keys: ProcessKeys,
  operation: string,
): (value: unknown, list: string, headers: IncomingHttpHeaders) => Reply {
  const serialize = definition.reply && compileSerializer(definition.reply);
  const json = { 'content-type': 'application/json; charset=utf-8' };
  return (value, list, headers) => {
    if (definition.bytes) return protocolReply(value as ProtocolReply);
    if (definition.servesRanges) return bytesReply(value as BytesReply, headers);
    if (definition.replyStreams) return streamReply(definition.status, value as StreamReply);
    if (definition.sessionCookie) return sessionReply(definition.status, value as SessionReply);
    if (!serialize) throw new Error(`${operation} declares no reply`);
    if ('item' in definition || 'found' in definition)
      return {
        status: 200,
        headers: json,
        body: replyBody(serialize(pageReply(ownKeys(keys), list, value as never))),
      };
    const { created, value: inner } = definition.statusWhenThere
      ? (value as { created: boolean; value: unknown })
      : { created: true, value };
    return {
      status: created ? definition.status : definition.statusWhenThere!,
      headers: json,
      body: replyBody(serialize(inner)),
    };
  };
}

const streamReply = (
  status: number,
  { contentType, contentLength, headers, stream }: StreamReply,
): Reply => ({
  status,
  headers: {
    'content-type': contentType,
    ...(contentLength === undefined ? {} : { 'content-length': String(contentLength) }),
    ...headers,
  },
  body: stream,
});

const protocolReply = ({ status, contentType, headers, body }: ProtocolReply): Reply => ({
  status,
  headers: { 'content-type': contentType, ...headers },
  body,
});

const sessionReply = (status: number, { sessionSecret, consoleSecret }: SessionReply): Reply => ({
  status,
  headers: {
    [sessionSecretHeader]: sessionSecret ?? '',
    ...(consoleSecret === undefined ? {} : { [consoleHeader]: consoleSecret }),
  },
  body: undefined,
});

async function readBody(
  definition: Operation,
  bytes: Buffer | undefined,
  form: BodyForm,
): Promise<unknown> {
  const isEmpty = bytes === undefined || bytes.length === 0;
  if (isEmpty && definition.body!.safeParse(undefined).success) return undefined;
  return check(definition.body!, await parseBodyAside(bytes ?? Buffer.alloc(0), form), '');
}

function check(
  schema: { safeParse: (value: unknown, options: { reportInput: boolean }) => unknown },
  value: unknown,
  place: '' | '?',
): Record<string, unknown> {
  const result = schema.safeParse(value, { reportInput: true }) as
    | { success: true; data: Record<string, unknown> }
    | { success: false; error: never };
  if (!result.success) throw invalidFrom(result.error, place);
  return result.data;
}

const withoutPage = ({
  limit: _limit,
  cursor: _cursor,
  ...filters
}: Record<string, unknown>): object => filters;

const lengthOf = (request: FastifyRequest): number | undefined =>
  request.headers['content-length'] === undefined
    ? undefined
    : Number(request.headers['content-length']);
