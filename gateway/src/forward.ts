import { Failure, unanswered } from '@assay/contracts/failure';
import { QueueFull } from '@assay/runtime/concurrency/fair-semaphore';
import { consoleHeader, notServedHeader, sessionSecretHeader } from '@assay/runtime/http/reply';
import { avoid } from '@assay/runtime/http/upstreams';
import { type Admission, admit, type InFlight, type ReplicaLoad } from './admission.ts';
import { ClientGone, type OutgoingBody } from './body.ts';
import type { Call } from './exchange.ts';
import type { ExpensiveKind } from './expensive-requests.ts';

/** A request on its way to a service. */
export interface Outgoing {
  /** The organization whose share of the service's room the request takes. */
  organizationId: string;
  method: string;
  /** The request target below the base path. The service decodes it. */
  path: string;
  /** Made when it is sent, which may be long after it came: a signature holds for half a minute. */
  headers: () => Record<string, string>;
  body: OutgoingBody;
  /**
   * True if sending it twice has the effect of sending it once: it is sent again if it may not have
   * arrived.
   */
  isRepeatable: boolean;
  /**
   * Of an expensive request, which waits for its organization's turn. The signal is aborted when the
   * client goes meanwhile.
   */
  turn: { kind: ExpensiveKind; signal: AbortSignal } | undefined;
}

/** Why an attempt brought no reply. */
export interface Fault {
  error: Error;
  /** Anything may have reached the service. */
  wasSent: boolean;
}

/** Sends the request to one process; undefined once its reply goes to the client. */
export type Attempt = (load: ReplicaLoad, inFlight: InFlight) => Promise<Fault | undefined>;

/**
 * Sends a request to a service, by `attempt`, whose reply is the client's. A request that could not
 * be sent goes to the next replica that has room. A repeatable request whose connection broke is
 * sent once more.
 * @throws SERVICE_UNAVAILABLE where no replica has room, or too much waits for its turn, and for any
 * fault before the reply began; the body's own Failure; the reason of the aborted turn.
 */
export async function forward(
  admission: Admission,
  { body, organizationId, turn, ...outgoing }: Outgoing,
  attempt: Attempt,
): Promise<void> {
  const stage = body.kind === 'streamed' ? 'uploading' : 'waiting';
  const loads = admission.replicasFor(stage, organizationId);
  if (loads.length === 0) throw admission.refuse();
  let { isRepeatable } = outgoing;
  for (let index = 0; ; index += 1) {
    const load = loads[index % loads.length]!;
    const send = (over?: () => void) => attempt(load, admit(load, stage, organizationId, over));
    const fault = await (turn
      ? load.expensive[turn.kind].sendInTurn(organizationId, turn.signal, send)
      : send()
    ).catch((error: unknown) => {
      throw error instanceof QueueFull ? admission.refuse() : error;
    });
    if (!fault) return;
    const { error, wasSent } = fault;
    if (error instanceof Failure || error instanceof ClientGone) throw error;
    if (!wasSent) avoid(load.replica);
    const goesOn = wasSent ? isRepeatable && isBroken(error) : index + 1 < loads.length;
    if (!goesOn) throw unanswered(error);
    if (wasSent) isRepeatable = false;
  }
}

const brokenCodes = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
export const isBroken = (error: Error): boolean =>
  brokenCodes.has((error as { code?: string }).code ?? '');

/** True for the failure that `unanswered` makes: a refusal for lack of room has no cause. */
export const isUnanswered = ({ code, cause }: Failure): boolean =>
  code === 'SERVICE_UNAVAILABLE' && cause !== undefined;

/**
 * A service refuses only requests without a valid signature: a fault between gateway and service,
 * not the client's.
 */
export const isUnsigned = (status: number, { operation }: Call): boolean =>
  status === 401 && !operation.mayRefuseCaller;

/** A process that migrates its data looked at nothing of the request, which may go to another. */
export const isNotServed = (headers: Record<string, unknown>): boolean =>
  headers[notServedHeader] !== undefined;

export const notServed = (): Error => new Error('the process of the service is starting');

export const unsigned = (): Error =>
  new Error('the service did not take the signature of the gateway');

/**
 * Headers that belong to one connection (RFC 9110 section 7.6.1), and those that the gateway gives
 * itself.
 */
export const ownHeaders = new Set([
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
  sessionSecretHeader,
  consoleHeader,
]);

export const isEventStream = (contentType: unknown): boolean =>
  String(contentType).startsWith('text/event-stream');
