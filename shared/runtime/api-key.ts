import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const keyStart = 'ak_';
const sessionStart = 'as_';
const loginStart = 'al_';
const deviceStart = 'ad_';
const consoleStart = 'ac_';
/** 62^43 is just over 2^256, and 62^6 over 2^32. */
const secretCharacters = 43;
const checksumCharacters = 6;
const prefixCharacters = 10;

/**
 * A new API key: `ak_`, 256 random bits in base62 (43 characters), and their checksum (6
 * characters).
 */
export const newKey = (bits: Uint8Array = randomBytes(32)): string => newSecret(keyStart, bits);

/** A new secret of a browser session, of the form of a key but for its start. */
export const newSessionSecret = (): string => newSecret(sessionStart, randomBytes(32));

/** A new second secret of a browser session, of the form of a key but for its start. */
export const newConsoleSecret = (): string => newSecret(consoleStart, randomBytes(32));

/** A new token of a sign-in link, of the form of a key but for its start. */
export const newLoginToken = (): string => newSecret(loginStart, randomBytes(32));

/** A new code by which a device asks for its key, of the form of a key but for its start. */
export const newDeviceCode = (): string => newSecret(deviceStart, randomBytes(32));

function newSecret(start: string, bits: Uint8Array): string {
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
export const isKey = (text: string): boolean => isSecret(keyStart, text);

/** The same for the secret of a browser session. */
export const isSessionSecret = (text: string): boolean => isSecret(sessionStart, text);

/** The same for the token of a sign-in link. */
export const isLoginToken = (text: string): boolean => isSecret(loginStart, text);

/** The same for the code of a device. */
export const isDeviceCode = (text: string): boolean => isSecret(deviceStart, text);

function isSecret(start: string, text: string): boolean {
  const rest = text.slice(start.length);
  if (!text.startsWith(start) || !/^[0-9A-Za-z]{49}$/.test(rest)) return false;
  return checksumOf(rest.slice(0, -checksumCharacters)) === rest.slice(-checksumCharacters);
}

/**
 * The id under which a key, a browser session, a login token or a device code is known everywhere: its SHA-256 in
 * base64url. A secret of 256 random bits needs no slow hash.
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
