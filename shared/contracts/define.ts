import { z } from 'zod';
import type { FailureCode } from './failure.ts';
import { type Page, type PageRequest, pageBody, pageOf, pageQuery } from './page.ts';

/** Bytes of a JSON body where the operation says nothing else. */
export const bodyBytesDefault = 1024 * 1024;

/**
 * Who may call: `member` any key or browser session of the organization, `admin` an admin's,
 * `anyone` the console without a key too, `keyless` anyone at all, `signature` the holder of a signed
 * URL, `service` another service (never routed by the gateway).
 */
export type Access = 'member' | 'admin' | 'anyone' | 'keyless' | 'signature' | 'service';

/**
 * How the body is carried: `json` is read whole and checked; `stream` is handed on as it comes in.
 * How the reply is: a JSON value checked by `reply`, or a stream of `replyType`.
 */
export interface Operation {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * Under the base path, with `:name` parameters. A parameter that ends in `Id` is one of our ids
   * unless `params` says otherwise.
   */
  path: string;
  summary: string;
  /** Sentences for clients, where the summary does not say everything. */
  description?: string;
  access?: Access;
  params?: Record<string, z.ZodType<string>>;
  query?: z.ZodObject;
  body?: z.ZodType;
  bodyBytesMax?: number;
  /** Content types of a streamed request body. */
  streams?: readonly string[];
  /**
   * Content types of a body of another protocol: it is read whole and not parsed, and the reply is
   * bytes as well (`ProtocolReply`). An Idempotency-Key has no effect.
   */
  bytes?: readonly string[];
  /**
   * The base path in place of the API's own, where another protocol fixes it. The API document
   * leaves the operation out.
   */
  base?: '/otel';
  /**
   * How long another service waits for the whole reply, whatever number of replicas it asks, where
   * it can do without.
   */
  timeoutMs?: number;
  /** Content types of a streamed reply. */
  replyStreams?: readonly string[];
  /**
   * A client may ask for a part of the streamed reply, and whether it has changed (RFC 9110 sections
   * 13 and 14): the handler replies with a `BytesReply`.
   */
  servesRanges?: true;
  /** The value of each line of a streamed reply that another service reads. */
  line?: z.ZodType;
  reply?: z.ZodType;
  /** 204 for a reply without a body, which is one with `sessionCookie`. */
  status: 200 | 201 | 202 | 204;
  /** The reply has no body, and begins or ends a browser session: the gateway sets the cookie. */
  sessionCookie?: true;
  /**
   * Given in place of `status` if the resource to be created exists already: the handler replies `{
   * created, value }`.
   */
  statusWhenThere?: 200;
  /** A browser may get the reply by an address that its session signs (`createDownload`). */
  download?: true;
  /** Besides those that every operation may give. */
  failures?: readonly FailureCode[];
  /** The operation commits the Idempotency-Key itself, in the transaction of its own write. */
  commitsIdempotencyKey?: true;
  /**
   * May take longer than a transaction lives: its Idempotency-Key is claimed beforehand instead of
   * committed with it.
   */
  takesLong?: true;
  /**
   * Its cost grows with what an organization has, or sends: beside other organizations, one has few
   * such requests under way.
   */
  expensive?: true;
  /** Reply fields that a replay leaves out, because they are shown once. */
  shownOnce?: readonly string[];
  example?: {
    query?: Record<string, string>;
    body?: unknown;
    /** Other bodies, each by the words that say what it shows. */
    otherBodies?: Readonly<Record<string, unknown>>;
    reply?: unknown;
  };
}

/** A list: GET, keyset pagination, 200. */
export interface List extends Operation {
  method: 'GET';
  item: z.ZodType;
}

/**
 * A list by a text that has no place in a URL: POST, with the page's `limit` and `cursor` in its
 * body, 200. It changes nothing, so an Idempotency-Key has no effect.
 */
export interface Search extends Operation {
  method: 'POST';
  found: z.ZodType;
}

export interface Question {
  /**
   * Who may ask: any service, on behalf of its caller, or only the operator of the installation.
   */
  access?: 'operator';
  payload: z.ZodType;
  reply: z.ZodType;
  timeoutMs?: number;
  summary: string;
}

export interface Event {
  payload: z.ZodType;
  summary: string;
}

export interface Job {
  payload: z.ZodType;
  summary: string;
  /** Deliveries before the job becomes a dead letter. */
  attempts: number;
  /**
   * How long a worker may be silent before the bus gives the job to another; a living one says that
   * it works.
   */
  finishMs: number;
}

export interface Service {
  name: string;
  summary: string;
  operations: Record<string, Operation | List>;
  questions: Record<string, Question>;
  events: Record<string, Event>;
  jobs: Record<string, Job>;
}

export const operation = <const Definition extends Operation>(definition: Definition): Definition =>
  definition;
export const question = <const Definition extends Question>(definition: Definition): Definition =>
  definition;
export const event = <const Definition extends Event>(definition: Definition): Definition =>
  definition;
export const job = <const Definition extends Job>(definition: Definition): Definition => definition;

/** A list of `item`, with `query` as its filters. */
export const list = <const Definition extends Omit<List, 'method' | 'status' | 'reply'>>(
  definition: Definition,
) => ({
  ...definition,
  method: 'GET' as const,
  status: 200 as const,
  reply: pageOf(definition.item),
});

/** A list that tells how many items it has, where that is counted at once; `about` says where. */
export const countedList = <const Definition extends Omit<List, 'method' | 'status' | 'reply'>>({
  about,
  ...definition
}: Definition & { about: string }) => {
  const counted = list(definition as unknown as Omit<Definition, 'about'> & Definition);
  const total = z.int().min(0).optional().meta({ description: about });
  return { ...counted, reply: counted.reply.extend({ total }) };
};

/**
 * A search for items that are `found`; `body` has its terms, and the reply has `progress` beside the
 * page.
 */
export const search = <
  const Definition extends Omit<Search, 'method' | 'status' | 'body' | 'reply'>,
  Body extends z.ZodRawShape,
  Progress extends z.ZodRawShape,
>({
  body,
  progress,
  ...definition
}: Definition & { body: Body; progress: Progress }) => ({
  ...(definition as unknown as Omit<Definition, 'body' | 'progress'>),
  method: 'POST' as const,
  status: 200 as const,
  body: z.object({ ...body, ...pageBody }),
  reply: pageOf(definition.found as Definition['found']).extend(progress),
});

/** Defines the contract of one service: its operations, questions, events and jobs. */
export const service = <
  const Name extends string,
  const Members extends Partial<Omit<Service, 'name' | 'summary'>>,
>(
  definition: { name: Name; summary: string } & Members,
) =>
  ({
    operations: {},
    questions: {},
    events: {},
    jobs: {},
    ...definition,
  }) as unknown as ServiceDefinition<Name, Members>;

export interface ServiceDefinition<Name, Members> {
  name: Name;
  summary: string;
  operations: Members extends { operations: infer Member } ? Member : Record<never, Operation>;
  questions: Members extends { questions: infer Member } ? Member : Record<never, Question>;
  events: Members extends { events: infer Member } ? Member : Record<never, Event>;
  jobs: Members extends { jobs: infer Member } ? Member : Record<never, Job>;
}

/** Who calls, as the gateway found out; signed on every hop. */
export interface Identity {
  organizationId: string;
  userId: string;
  /**
   * `anonymous` has no key, as the holder of a signed URL; `operator` has the operator's secret.
   */
  role: 'admin' | 'member' | 'service' | 'anonymous' | 'operator';
  apiKeyId: string | null;
  /** The browser session in which a member calls; left out for all other calls. */
  browserSessionId?: string | undefined;
  /** The network address of a client without a key; left out for all other calls. */
  clientAddress?: string | undefined;
  requestId: string;
}

/** The names of a path's parameters. */
export type ParameterNames<Path extends string> =
  Path extends `${string}:${infer Name}/${infer Rest}`
    ? Name | ParameterNames<`/${Rest}`>
    : Path extends `${string}:${infer Name}`
      ? Name
      : never;

/** The Idempotency-Key of a request, for operations that commit it themselves. */
export interface IdempotencyKey {
  /** Scope and key, hashed: the id under which the outcome is remembered. */
  id: string;
  organizationId: string;
  /** SHA-256 of the body's bytes. */
  bodyHash: string;
}

/** The request that a handler gets: everything is checked by the contract. */
export interface Request<Definition extends Operation> {
  identity: Identity;
  params: {
    [Name in ParameterNames<Definition['path']>]: Definition extends {
      params: Record<Name, infer Parameter extends z.ZodType>;
    }
      ? z.output<Parameter>
      : string;
  };
  query: Definition extends { query: infer Query extends z.ZodType }
    ? z.output<Query>
    : Record<never, never>;
  body: Definition extends { body: infer Body extends z.ZodType } ? z.output<Body> : undefined;
  page: Definition extends { item: z.ZodType } | { found: z.ZodType } ? PageRequest : undefined;
  idempotencyKey: IdempotencyKey | undefined;
  /** The body of a streamed operation. */
  stream: Definition extends { streams: readonly string[] } ? AsyncIterable<Uint8Array> : undefined;
  /** The body of another protocol. */
  bytes: Definition extends { bytes: readonly string[] } ? Buffer : undefined;
  /** The type and, where it was said, the length of a streamed body. */
  contentType: string | undefined;
  contentLength: number | undefined;
  /** The last event that a client has seen of a stream of server-sent events. */
  lastEventId: string | undefined;
  /** The project that the header `x-assay-project` names, where an address cannot. */
  projectHeader: string | undefined;
}

/** A reply that is streamed: its type, and the bytes as they are made. */
export interface StreamReply {
  contentType: string;
  contentLength?: number;
  headers?: Record<string, string>;
  stream: AsyncIterable<Uint8Array | string>;
  /** The answer to a repeat under the same Idempotency-Key. */
  replayed?: boolean;
}

/** A reply in another protocol, a refusal too. */
export interface ProtocolReply {
  status: number;
  contentType: string;
  headers?: Record<string, string>;
  body: Buffer;
}

/** The reply that begins a browser session with its two secrets, or ends one by null. */
export interface SessionReply {
  /** The secret of the cookie. */
  sessionSecret: string | null;
  /** The secret that the console sends beside the cookie. */
  consoleSecret?: string;
}

/** A reply of stored bytes, of which a client may get a part. */
export interface BytesReply {
  contentType: string;
  byteLength: number;
  /** Names these very bytes: other bytes under the same path have another tag. */
  etag: string;
  /** With it, a browser stores the bytes under this name in place of showing them. */
  filename: string | undefined;
  /** Reads the bytes from one place up to another. */
  read: (from: number, to: number) => AsyncIterable<Uint8Array>;
}

type ReplyValue<Definition extends Operation> = Definition extends { sessionCookie: true }
  ? SessionReply
  : Definition extends { bytes: readonly string[] }
    ? ProtocolReply
    : Definition extends (
          | { item: infer Item extends z.ZodType }
          | { found: infer Item extends z.ZodType }
        ) & { reply: infer Reply extends z.ZodType }
      ? Page<z.input<Item>> & Omit<z.input<Reply>, 'data' | 'nextCursor' | 'hasMore'>
      : Definition extends { servesRanges: true }
        ? BytesReply
        : Definition extends { replyStreams: readonly string[] }
          ? StreamReply
          : Definition extends { reply: infer Reply extends z.ZodType }
            ? z.input<Reply>
            : undefined;

/** The reply of a handler; with `statusWhenThere`, it says whether the value was created. */
export type Reply<Definition extends Operation> = Definition extends { statusWhenThere: 200 }
  ? { created: boolean; value: ReplyValue<Definition> }
  : ReplyValue<Definition>;

export type Handler<Definition extends Operation> = (
  request: Request<Definition>,
) => Promise<Reply<Definition>>;

/** One handler for each operation of a service: a missing or an extra one does not compile. */
export type Handlers<Definition extends Service> = {
  [Name in keyof Definition['operations']]: Handler<Definition['operations'][Name]>;
};

/** One answer for each question of a service. */
export type Answers<Definition extends Service> = {
  [Name in keyof Definition['questions']]: (
    identity: Identity,
    payload: z.output<Definition['questions'][Name]['payload']>,
  ) => Promise<z.input<Definition['questions'][Name]['reply']>>;
};

/** The question functions of a service, as another service calls them. */
export type Asks<Definition extends Service> = {
  [Name in keyof Definition['questions']]: (
    identity: Identity,
    payload: z.input<Definition['questions'][Name]['payload']>,
  ) => Promise<z.output<Definition['questions'][Name]['reply']>>;
};

/**
 * The announcements of a service: each writes an event into the outbox of the transaction that is
 * under way.
 */
export type Announcements<Definition extends Service> = {
  [Name in keyof Definition['events']]: (
    identity: Identity,
    payload: z.input<Definition['events'][Name]['payload']>,
  ) => Promise<void>;
};

/** Does the operation change nothing, by its method or as a search? */
export const isReadOnly = (definition: Operation | Search): boolean =>
  definition.method === 'GET' || 'found' in definition;

/**
 * Does the API document have the operation? It lacks those for services only, and those of other
 * protocols.
 */
export const isDocumented = ({ access, base }: Operation): boolean =>
  access !== 'service' && base === undefined;

/** The query of an operation, with the page parameters where it is a list. */
export const queryOf = (definition: Operation | List): z.ZodObject | undefined =>
  'item' in definition ? (definition.query ?? emptyQuery).extend(pageQuery) : definition.query;

const emptyQuery = z.object({});
