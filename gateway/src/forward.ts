import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { Failure, unavailable } from '@assay/contracts/failure';
import { avoid } from '@assay/runtime/http/upstreams';
import type { Dispatcher } from 'undici';
import { type Admission, admit, type InFlight, type ReplicaLoad } from './admission.ts';
import { ClientGone, type OutgoingBody } from './body.ts';

/** A request on its way to a service. */
export interface Outgoing {
  /** The organization whose share of the service's room the request takes. */
  organizationId: string;
  method: string;
  /** The raw request target below the base path. The service decodes it. */
  path: string;
  /** Names and values in turn. */
  headers: string[];
  body: OutgoingBody;
  /**
   * True if sending it twice has the effect of sending it once: it is sent again if it may not have
   * arrived.
   */
  isRepeatable: boolean;
}

/** The client's end. */
export interface Incoming {
  response: ServerResponse;
  /** Headers of every reply, names and values in turn. */
  headers: string[];
  /** Set while a request is under way: ends it, because the client went away. */
  abort: (() => void) | undefined;
  /** A stream of events, which has no end of its own. */
  isEndless?: boolean;
}

/** Why an attempt brought no reply. */
interface Fault {
  error: Error;
  /** Anything may have reached the service. */
  wasSent: boolean;
}

/**
 * Sends a request to a service and its reply to the client; resolves with the status when the reply
 * is complete or its client gone. A request that could not be sent goes to the next replica that
 * has room. A repeatable request whose connection broke is sent once more.
 * @throws SERVICE_UNAVAILABLE where no replica has room, and for any fault before the reply began;
 * the body's own Failure. A reply that ends early ends the client's connection too, so that no
 * client takes a part for the whole.
 */
export async function forward(
  admission: Admission,
  outgoing: Outgoing,
  incoming: Incoming,
): Promise<number> {
  const loads = admission.replicasFor(stageOf(outgoing.body), outgoing.organizationId);
  if (loads.length === 0) throw admission.refuse();
  let { isRepeatable } = outgoing;
  for (let index = 0; ; ) {
    const load = loads[index % loads.length]!;
    const outcome = await attempt(load, outgoing, incoming);
    if (typeof outcome === 'number') return outcome;
    const { error, wasSent } = outcome;
    if (error instanceof Failure || error instanceof ClientGone) throw error;
    if (!wasSent) avoid(load.replica);
    const goesOn = wasSent ? isRepeatable && isBroken(error) : index + 1 < loads.length;
    if (!goesOn) throw unavailable('A part of the service does not answer at the moment.', error);
    if (wasSent) isRepeatable = false;
    index += 1;
  }
}

const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const isBroken = (error: Error): boolean =>
  brokenCodes.has((error as { code?: string }).code ?? '');

const stageOf = ({ kind }: OutgoingBody) => (kind === 'streamed' ? 'uploading' : 'waiting');

function attempt(
  load: ReplicaLoad,
  outgoing: Outgoing,
  incoming: Incoming,
): Promise<number | Fault> {
  const inFlight = admit(load, stageOf(outgoing.body), outgoing.organizationId);
  return new Promise((resolve) => {
    const options = {
      method: outgoing.method as Dispatcher.HttpMethod,
      path: outgoing.path,
      headers: outgoing.headers,
    };
    const body = bodyOf(outgoing.body, inFlight.bodySent) as Dispatcher.DispatchOptions['body'];
    load.replica.pool.dispatch({ ...options, body }, relay(incoming, inFlight, resolve));
  });
}

function bodyOf(body: OutgoingBody, sent: () => void): Buffer | AsyncIterable<Uint8Array> | null {
  if (body.kind === 'none') return null;
  return body.kind === 'held' ? body.bytes : body.open(sent);
}

/** Passes a reply on as it comes in, no faster than the client takes it. */
function relay(
  incoming: Incoming,
  inFlight: InFlight,
  settle: (outcome: number | Fault) => void,
): Dispatcher.DispatchHandler {
  const { response } = incoming;
  let wasSent = false;
  let status = 0;
  return {
    onRequestStart: (controller) => {
      wasSent = true;
      incoming.abort = () => controller.abort(new ClientGone('the client went away'));
      if (response.destroyed) incoming.abort();
    },
    onResponseStart: (_controller, statusCode, headers) => {
      if (statusCode < 200) return;
      inFlight.replyBegan();
      // A service refuses only requests without a valid signature: a fault between gateway and
      // service, not the client's.
      if (statusCode === 401)
        throw new Error('the service did not take the signature of the gateway');
      status = statusCode;
      incoming.isEndless = String(headers['content-type']).startsWith('text/event-stream');
      response.writeHead(status, passedHeaders(headers, incoming.headers));
    },
    onResponseData: (controller, chunk) => {
      if (response.writableEnded || response.write(chunk)) return;
      controller.pause();
      response.once('drain', () => controller.resume());
    },
    onResponseEnd: () => {
      inFlight.ended();
      response.end();
      incoming.abort = undefined;
      settle(status);
    },
    onResponseError: (_controller, error) => {
      inFlight.ended();
      incoming.abort = undefined;
      if (!response.headersSent) return settle({ error, wasSent });
      // Answered by us already, where the request's key was revoked.
      if (!response.writableEnded) response.destroy();
      settle(response.statusCode);
    },
  };
}

/**
 * Headers that belong to one connection (RFC 9110 section 7.6.1), and those that the gateway gives
 * itself.
 */
const ownHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'date',
  'server',
  'x-powered-by',
  'x-request-id',
]);

function passedHeaders(headers: IncomingHttpHeaders, own: string[]): string[] {
  const passed = own.slice();
  for (const name in headers) {
    if (ownHeaders.has(name)) continue;
    const value = headers[name]!;
    if (typeof value === 'string') passed.push(name, value);
    else for (const one of value) passed.push(name, one);
  }
  return passed;
}
