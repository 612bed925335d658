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

/** Signs who calls, for the next hop. */
export function sealIdentity(secret: string, identity: Identity): string {
  const text = Buffer.from(JSON.stringify({ ...identity, issuedAt: Date.now() })).toString('base64url');
  return `${text}.${sign(secret, 'identity', text)}`;
}

/**
 * Reads a signed identity.
 * @param stored true for messages that may have waited on the bus: their age does not matter.
 * @throws UNAUTHORIZED when it is missing, forged or too old.
 */
export function openIdentity(secret: string, sealed: string | undefined, { stored = false } = {}): Identity {
  const [text, signature] = (sealed ?? '').split('.');
  if (!text || !signature || !isSignature(secret, 'identity', text, signature)) throw unsigned();
  const { issuedAt, ...identity } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Identity & { issuedAt: number };
  if (!stored && Math.abs(Date.now() - issuedAt) > identityAgeMaxMs) throw unsigned();
  return identity;
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
