import { Failure } from '@assay/contracts/failure';
import type { KeyList } from './keys.ts';
import { isSignature, signFirst } from './signature.ts';

/** How long a signed address works, in milliseconds. */
const lifeMs = 5 * 60_000;

const parameter = 'download-token';

/** An address by which a browser gets one object, without its cookie. */
export interface DownloadAddress {
  /** The path of the operation below the API's base, with its query. */
  target: string;
  /** The hash of the secret of the session that it acts for: it ends with that. */
  sessionHash: string;
}

/**
 * Signs an address, so that it works for five minutes. A path is written as browsers send it.
 * @returns the path with a token, and when it ends.
 */
export function signDownload(
  keys: KeyList,
  { target, sessionHash }: DownloadAddress,
  now: Date,
): { target: string; expiresAt: Date } {
  const { pathname, search } = new URL(target, 'http://localhost');
  const expiresAt = new Date(now.getTime() + lifeMs);
  const claim = `${expiresAt.getTime()}.${sessionHash}`;
  const signature = signFirst(keys, 'download', `${claim}\n${pathname}${search}`);
  return {
    target: `${pathname}${search}${search === '' ? '?' : '&'}${parameter}=${claim}.${signature}`,
    expiresAt,
  };
}

/** Whether a path has a token. */
export const isDownloadAddress = (target: string): boolean => tokenAt.test(target);

/**
 * The address that was signed, without its token.
 * @throws UNAUTHORIZED for one that was not signed, or whose time is over.
 */
export function openDownload(keys: KeyList, signed: string, now: Date): DownloadAddress {
  const target = signed.replace(tokenAt, '');
  const [, expiresAtMs = '', sessionHash = '', signature = ''] = tokenAt.exec(signed) ?? [];
  if (
    !isSignature(keys, 'download', `${expiresAtMs}.${sessionHash}\n${target}`, signature) ||
    Number(expiresAtMs) <= now.getTime()
  )
    throw new Failure(
      'UNAUTHORIZED',
      'This address does not work, or no more: each works for five minutes. Go back to the page, and download from there again.',
    );
  return { target, sessionHash };
}

const tokenAt = new RegExp(`[?&]${parameter}=(\\d+)\\.([\\w-]+)\\.([\\w-]+)$`);
