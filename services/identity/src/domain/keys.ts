import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { ApiKey, Role } from '@assay/contracts/identity';
import type { StoredKey } from '../store.ts';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const start = 'ak_';
/** 62^43 is just over 2^256, and 62^6 over 2^32. */
const secretCharacters = 43;
const checksumCharacters = 6;
const prefixCharacters = 10;

/** A new API key: `ak_`, 256 random bits in base62 (43 characters), and their checksum (6 characters). */
export function newKey(bits: Uint8Array = randomBytes(32)): string {
  const secret = toBase62(BigInt(`0x${Buffer.from(bits).toString('hex')}`), secretCharacters);
  return `${start}${secret}${checksumOf(secret)}`;
}

/** Has this text the form of a key, checksum included? What scanners for leaked keys ask, without asking us. */
export function isKey(text: string): boolean {
  if (!/^ak_[0-9A-Za-z]{49}$/.test(text)) return false;
  const secret = text.slice(start.length, -checksumCharacters);
  return checksumOf(secret) === text.slice(-checksumCharacters);
}

/** How a key is known: SHA-256 in base64url. A key of 256 random bits needs no slow hash. */
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('base64url');

/** What a list shows of a key. */
export const prefixOf = (key: string): string => key.slice(0, prefixCharacters);

/** A key is an admin's only when it was made as one and its member still is one. */
export const effectiveRole = (keyRole: Role, memberRole: Role): Role =>
  keyRole === 'admin' && memberRole === 'admin' ? 'admin' : 'member';

/** A new key, and all of it that may leave its maker. */
export function makeKey(): { key: string; kept: KeptKey } {
  const key = newKey();
  return { key, kept: { keyHash: hashOf(key), prefix: prefixOf(key) } };
}

/** What is kept of a key in place of its secret. */
export type KeptKey = Pick<StoredKey, 'keyHash' | 'prefix'>;

export const toApiKey = ({ id, name, prefix, role, createdByUserId, createdAt, expiresAt, lastUsedAt }: StoredKey): ApiKey => ({
  id,
  name,
  prefix,
  role,
  createdByUserId,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

const checksumOf = (secret: string): string => toBase62(BigInt(crc32(secret)), checksumCharacters);

function toBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}
