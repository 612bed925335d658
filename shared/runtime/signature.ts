import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import type { KeyList, ProcessKeys } from './keys.ts';

/**
 * How far the clocks of signer and checker may be apart, with the time on the way, for a request or
 * a question (ADR 25).
 */
const ageMaxMs = 30_000;

/** The header that carries a sealed identity, on HTTP and on the bus. */
export const identityHeader = 'x-assay-identity';

/**
 * The header that says which process sealed the identity, by its key:
 * `<process>.<signature>`.
 */
export const senderHeader = 'x-assay-sender';

/** Reads a header of a request or of a message. */
export type HeaderOf = (name: string) => string | undefined;

/**
 * HMAC-SHA-256 of `text` under `secret` for one `purpose`, so that no signature serves two ends.
 * base64url.
 */
export const sign = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(`${purpose}\0${text}`).digest('base64url');

/** Is this the signature of `text` under one of the keys? Each is compared in constant time. */
export const isSignature = (
  keys: KeyList,
  purpose: string,
  text: string,
  signature: string,
): boolean => signingKey(keys, { purpose, text, signature }) !== undefined;

const signingKey = (
  keys: KeyList,
  { purpose, text, signature }: { purpose: string; text: string; signature: string },
): string | undefined => keys.find((key) => areEqualSecrets(sign(key, purpose, text), signature));

/** A key of each list, while the one secret of all stands: that first, for who knows no other. */
const withShared = ({ shared }: ProcessKeys, keys: KeyList): KeyList =>
  shared === undefined ? keys : [shared, ...keys];

/** A process signs with the first, and opens it itself, as a cursor. */
export const ownKeys = (keys: ProcessKeys): KeyList => withShared(keys, keys.own());

/** A process signs with the first, and another opens it. */
export const keysTowards = (keys: ProcessKeys, receiver: string): KeyList =>
  withShared(keys, keys.towards(receiver));

/** Another process signs with the first, and this one opens it. */
export const keysFrom = (keys: ProcessKeys, sender: string): KeyList =>
  withShared(keys, keys.from(sender));

/** Signs with the key that stands first. */
export const signFirst = ([key]: KeyList, purpose: string, text: string): string =>
  sign(key!, purpose, text);

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
 * `<caller>.<time>.<digest>.<signature>.<request id>`, with the signature of the one secret where
 * that stands, and that of the process's own key in a header beside it.
 * @param digest of the payload that goes with the act.
 * @param receiver the process that is asked; left out for a message that a stream keeps.
 * @returns the headers.
 * @throws FORBIDDEN where the process has no key for it.
 */
export function sealIdentity(
  keys: ProcessKeys,
  identity: Identity,
  { act, digest, receiver }: { act: Act; digest: string; receiver: string | undefined },
): Record<string, string> {
  const { requestId, organizationId, userId, role, apiKeyId } = identity;
  const { browserSessionId, clientAddress } = identity;
  const caller = Buffer.from(
    JSON.stringify({ organizationId, userId, role, apiKeyId, browserSessionId, clientAddress }),
  ).toString('base64url');
  const claim = `${caller}.${Date.now()}.${digest}`;
  const text = textOf(act, claim, requestId);
  const { shared, process } = keys;
  const [own] = receiver === undefined ? keys.publishing() : keys.towards(receiver);
  if (own === undefined && shared === undefined)
    throw new Failure('FORBIDDEN', `This process has no key towards ${receiver}.`);
  const signature = shared === undefined ? '' : sign(shared, act.purpose, text);
  const headers: Record<string, string> = {
    [identityHeader]: `${claim}.${signature}.${requestId}`,
  };
  if (own !== undefined) headers[senderHeader] = `${process}.${sign(own, act.purpose, text)}`;
  return headers;
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

/** An identity that was sealed, and by whom. */
export interface OpenedIdentity {
  identity: Identity;
  /** Of the payload that was signed with it: comparing that is the caller's part. */
  digest: string;
  /** The process whose own key signed; undefined for the one secret, which tells no processes apart. */
  sender: string | undefined;
  /** The key that signed, which signs the reply, too. */
  key: string;
}

/**
 * Reads the identity that was sealed for an act. A stored message may be of any age.
 * @throws UNAUTHORIZED when it is missing, forged, sealed for another act, or too old.
 */
export function openIdentity(keys: ProcessKeys, headerOf: HeaderOf, act: Act): OpenedIdentity {
  const parts = (headerOf(identityHeader) ?? '').split('.');
  const [caller = '', time = '', digest = '', signature = ''] = parts;
  const requestId = parts.slice(4).join('.');
  const text = textOf(act, `${caller}.${time}.${digest}`, requestId);
  const signer = signerOf(keys, { act, text, signature, stated: headerOf(senderHeader) });
  if (signer === undefined) throw unsigned();
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
  return { identity, digest, sender: signer.sender, key: signer.key };
}

/**
 * The key for a reply to a message, before it is known whether its seal is good: that of the sender
 * that it states, so that a refusal is believed.
 */
export const replyKeyOf = (keys: ProcessKeys, headerOf: HeaderOf): string | undefined =>
  keys.from(headerOf(senderHeader)?.split('.')[0] ?? '')[0] ?? keys.shared;

function signerOf(
  keys: ProcessKeys,
  {
    act: { purpose },
    text,
    signature,
    stated,
  }: { act: Act; text: string; signature: string; stated: string | undefined },
): Pick<OpenedIdentity, 'sender' | 'key'> | undefined {
  if (stated !== undefined) {
    const [sender = '', own = ''] = stated.split('.');
    const known = purpose === 'stored' ? keys.publishedBy(sender) : keys.from(sender);
    const key = signingKey(known, { purpose, text, signature: own });
    if (key !== undefined) return { sender, key };
  }
  const { shared } = keys;
  if (shared === undefined || !isSignature([shared], purpose, text, signature)) return undefined;
  return { sender: undefined, key: shared };
}

/** No part but the last can have a line break: all of them are parts of headers. */
const textOf = ({ subject }: Act, claim: string, requestId: string): string =>
  `${claim}\n${requestId}\n${subject}`;

/**
 * The same for a message, whose payload is there.
 * @throws UNAUTHORIZED also for another payload than the signed one.
 */
export function openMessage(
  keys: ProcessKeys,
  headerOf: HeaderOf,
  act: Act,
  payload: Uint8Array,
): OpenedIdentity {
  const opened = openIdentity(keys, headerOf, act);
  if (opened.digest !== digestOf(payload)) throw unsigned();
  return opened;
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
