import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';

/**
 * How far the clocks of signer and checker may be apart, with the time on the way, for a request or
 * a question (ADR 25).
 */
const ageMaxMs = 30_000;

/** The header that carries a sealed identity, on HTTP and on the bus. */
export const identityHeader = 'x-assay-identity';

/**
 * HMAC-SHA-256 of `text` under `secret` for one `purpose`, so that no signature serves two ends.
 * base64url.
 */
export const sign = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(`${purpose}\0${text}`).digest('base64url');

/** Is this the signature of `text`? In constant time. */
export function isSignature(
  secret: string,
  purpose: string,
  text: string,
  signature: string,
): boolean {
  return areEqualSecrets(sign(secret, purpose, text), signature);
}

/** Are the texts equal? Their time tells nothing of where they differ. */
export function areEqualSecrets(known: string, given: string): boolean {
  const [one, other] = [Buffer.from(known), Buffer.from(given)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** SHA-256 of a payload, as signatures bind it. base64url. */
export const digestOf = (payload: string | Uint8Array): string =>
  hash('sha256', payload, 'base64url');

/** The digest of a request without a body. */
export const noBody = digestOf('');

/** Stands for the digest of a body that streams: nobody knows it before its end. */
export const streamedBody = 'streamed';

/** The act that a signature permits. */
export interface Act {
  /**
   * A request over HTTP, a question on the bus, or a message that a stream keeps: an event, a job
   * or a dead letter.
   */
  purpose: 'request' | 'question' | 'stored';
  /**
   * The method and target of a request; the subject of a message, and below it the id of a stored
   * one.
   */
  subject: string;
}

/** The act of a request; `target` is its path with its query, as it is sent. */
export const requestAct = (method: string, target: string): Act => ({
  purpose: 'request',
  subject: `${method} ${target}`,
});

/**
 * Signs on whose behalf an act is done, for the next hop:
 * `<caller>.<time>.<digest>.<signature>.<request id>`.
 * @param digest of the payload that goes with the act.
 */
export function sealIdentity(secret: string, identity: Identity, act: Act, digest: string): string {
  const { requestId, organizationId, userId, role, apiKeyId } = identity;
  const { browserSessionId, clientAddress } = identity;
  const caller = Buffer.from(
    JSON.stringify({ organizationId, userId, role, apiKeyId, browserSessionId, clientAddress }),
  ).toString('base64url');
  const claim = `${caller}.${Date.now()}.${digest}`;
  return `${claim}.${sign(secret, act.purpose, textOf(act, claim, requestId))}.${requestId}`;
}

/**
 * Returns the organization that a sealed identity names, which is not checked: for finding what was
 * kept for one. Undefined for what is no sealed identity.
 */
export function organizationOf(sealed: string | undefined): string | undefined {
  try {
    const [caller = ''] = (sealed ?? '').split('.');
    return JSON.parse(Buffer.from(caller, 'base64url').toString()).organizationId;
  } catch {
    return undefined;
  }
}

/**
 * Reads the identity that was sealed for an act, and the digest of the payload that was signed with
 * it: comparing that is the caller's part. A stored message may be of any age.
 * @throws UNAUTHORIZED when it is missing, forged, sealed for another act, or too old.
 */
export function openIdentity(
  secret: string,
  sealed: string | undefined,
  act: Act,
): { identity: Identity; digest: string } {
  const parts = (sealed ?? '').split('.');
  const [caller = '', time = '', digest = '', signature = ''] = parts;
  const requestId = parts.slice(4).join('.');
  if (
    !isSignature(
      secret,
      act.purpose,
      textOf(act, `${caller}.${time}.${digest}`, requestId),
      signature,
    )
  )
    throw unsigned();
  if (act.purpose !== 'stored' && Math.abs(Date.now() - Number(time)) > ageMaxMs) throw unsigned();
  // Field by field: this is done for each request, and a spread takes as long as the signature.
  const { organizationId, userId, role, apiKeyId, browserSessionId, clientAddress } = JSON.parse(
    Buffer.from(caller, 'base64url').toString(),
  ) as Identity;
  const identity: Identity = {
    organizationId,
    userId,
    role,
    apiKeyId,
    browserSessionId,
    clientAddress,
    requestId,
  };
  return { identity, digest };
}

/** No part but the last can have a line break: all of them are parts of headers. */
const textOf = ({ subject }: Act, claim: string, requestId: string): string =>
  `${claim}\n${requestId}\n${subject}`;

/**
 * The same for a message, whose payload is there.
 * @throws UNAUTHORIZED also for another payload than the signed one.
 */
export function openMessage(
  secret: string,
  sealed: string | undefined,
  act: Act,
  payload: Uint8Array,
): Identity {
  const { identity, digest } = openIdentity(secret, sealed, act);
  if (digest !== digestOf(payload)) throw unsigned();
  return identity;
}

/**
 * Compares the body of a request with the digest that was signed.
 * @throws UNAUTHORIZED for another body, or for one where none was signed.
 */
export function checkBody(digest: string, bytes: Uint8Array | undefined): void {
  if (digest !== streamedBody && digest !== (bytes === undefined ? noBody : digestOf(bytes)))
    throw unsigned();
}

export const unsigned = (): Failure =>
  new Failure('UNAUTHORIZED', 'This request was not signed by the gateway or a service.');

/** Who acts when a service does something of its own accord. */
export const serviceIdentity = (organizationId: string, requestId = ''): Identity => ({
  organizationId,
  userId: 'background-job',
  role: 'service',
  apiKeyId: null,
  requestId,
});

/** Who asks the questions of the operator. */
export const operatorIdentity: Identity = {
  organizationId: '',
  userId: 'operator',
  role: 'operator',
  apiKeyId: null,
  requestId: '',
};
