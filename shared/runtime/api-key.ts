import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const start = 'ak_';
/** 62^43 is just over 2^256, and 62^6 over 2^32. */
const secretCharacters = 43;
const checksumCharacters = 6;
const prefixCharacters = 10;

/**
 * A new API key: `ak_`, 256 random bits in base62 (43 characters), and their checksum (6
 * characters).
 */
export function newKey(bits: Uint8Array = randomBytes(32)): string {
  const secret = toBase62(BigInt(`0x${Buffer.from(bits).toString('hex')}`), secretCharacters);
  return `${start}${secret}${checksumOf(secret)}`;
}

/** The parts of a key that are stored in place of its secret. */
export interface KeptKey {
  keyHash: string;
  prefix: string;
}

/** A new key, and all of it that may leave its maker. */
export function makeKey(): { key: string; kept: KeptKey } {
  const key = newKey();
  return { key, kept: { keyHash: hashOf(key), prefix: prefixOf(key) } };
}

/**
 * Has this text the form of a key, checksum included? Tells garbage from keys without asking
 * anyone.
 */
export function isKey(text: string): boolean {
  if (!/^ak_[0-9A-Za-z]{49}$/.test(text)) return false;
  const secret = text.slice(start.length, -checksumCharacters);
  return checksumOf(secret) === text.slice(-checksumCharacters);
}

/**
 * The id under which a key is known everywhere: its SHA-256 in base64url. A key of 256 random bits
 * needs no slow hash.
 */
export const hashOf = (key: string): string => hash('sha256', key, 'base64url');

/** Returns the beginning of a key, which lists show. */
export const prefixOf = (key: string): string => key.slice(0, prefixCharacters);

const checksumOf = (secret: string): string => toBase62(BigInt(crc32(secret)), checksumCharacters);

function toBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text.padStart(length, '0');
}
