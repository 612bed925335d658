import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';

/** How long a signed identity is good for on HTTP and in questions: long enough for clocks that differ. */
const identityAgeMaxMs = 5 * 60_000;

/** The header that carries it, on HTTP and on the bus. */
export const identityHeader = 'x-assay-identity';

/** HMAC-SHA-256 of `text` under `secret` for one `purpose`, so that no signature serves two ends. base64url. */
export const sign = (secret: string, purpose: string, text: string): string =>
  createHmac('sha256', secret).update(purpose).update('\0').update(text).digest('base64url');

/** Is this the signature of `text`? In constant time. */
export function isSignature(secret: string, purpose: string, text: string, signature: string): boolean {
  const expected = Buffer.from(sign(secret, purpose, text));
  const given = Buffer.from(signature);
  return expected.length === given.length && timingSafeEqual(expected, given);
}

type Caller = Omit<Identity, 'requestId'>;

/** Callers whose signature was made or checked lately: a caller sends many requests, and each would cost as much as the rest of its way. */
const rememberedMax = 10_000;
const sealedCallers = new Map<string, { second: number; sealed: string }>();
const openedCallers = new Map<string, { caller: Caller; issuedAt: number }>();

/** Signs who calls, for the next hop: `<who, and when>.<signature>.<request id>`. The request id is for logs, and not signed. */
export function sealIdentity(secret: string, { requestId, ...caller }: Identity): string {
  const now = Date.now();
  const key = `${secret}\0${caller.organizationId}\0${caller.userId}\0${caller.role}\0${caller.apiKeyId}`;
  const known = sealedCallers.get(key);
  const second = Math.floor(now / 1000);
  if (known?.second === second) return `${known.sealed}.${requestId}`;
  const text = Buffer.from(JSON.stringify({ ...caller, issuedAt: now })).toString('base64url');
  const sealed = `${text}.${sign(secret, 'identity', text)}`;
  remember(sealedCallers, key, { second, sealed });
  return `${sealed}.${requestId}`;
}

/**
 * Reads a signed identity.
 * @param stored true for messages that may have waited on the bus: their age does not matter.
 * @throws UNAUTHORIZED when it is missing, forged or too old.
 */
export function openIdentity(secret: string, sealed: string | undefined, { stored = false } = {}): Identity {
  const [text = '', signature = '', ...requestId] = (sealed ?? '').split('.');
  const { caller, issuedAt } = openCaller(secret, text, signature);
  if (!stored && Math.abs(Date.now() - issuedAt) > identityAgeMaxMs) throw unsigned();
  return { ...caller, requestId: requestId.join('.') };
}

function openCaller(secret: string, text: string, signature: string): { caller: Caller; issuedAt: number } {
  const key = `${secret}\0${text}\0${signature}`;
  const known = openedCallers.get(key);
  if (known) return known;
  if (!isSignature(secret, 'identity', text, signature)) throw unsigned();
  const { issuedAt, ...caller } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Caller & { issuedAt: number };
  remember(openedCallers, key, { caller, issuedAt });
  return { caller, issuedAt };
}

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (map.size >= rememberedMax) map.clear();
  map.set(key, value);
}

const unsigned = () => new Failure('UNAUTHORIZED', 'This request was not signed by the gateway or a service.');

/** Who acts when a service does something of its own accord. */
export const serviceIdentity = (organizationId: string, requestId = ''): Identity => ({
  organizationId,
  userId: 'background-job',
  role: 'service',
  apiKeyId: null,
  requestId,
});
