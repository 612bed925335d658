import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Failure } from '@assay/contracts/failure';
import { browserSessionSecondsMax } from '@assay/contracts/identity';

/** The header by which the console says that a request is its own: no form of another site has it. */
const consoleHeader = 'x-assay-console';

interface SessionCookieOptions {
  /** Clients reach the gateway by https. */
  isSecure: boolean;
  /** The path below which they reach it, such as `/assay`, or an empty text. */
  publicPath: string;
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * The cookie of a browser session, and the rules by which a request may use it (contract section 4).
 * By https its name has a prefix with which browsers take it from this very host alone (RFC 6265bis,
 * section 4.1.3), or where it is limited to a path, by https alone.
 */
export function createSessionCookie({ isSecure, publicPath }: SessionCookieOptions) {
  const prefix = publicPath === '' ? '__Host-' : '__Secure-';
  const name = isSecure ? `${prefix}assay` : 'assay';
  const attributes = [
    `Path=${publicPath === '' ? '/' : publicPath}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');

  return {
    /**
     * Returns the secret of the session that a request came with, or undefined.
     * @throws UNAUTHORIZED for two cookies of the name: another site of this host may have set one.
     */
    secretOf({ headers: { cookie } }: IncomingMessage): string | undefined {
      if (cookie === undefined) return undefined;
      const secrets = cookie
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      if (secrets.length > 1)
        throw new Failure(
          'UNAUTHORIZED',
          `The request has more than one cookie ${name}: remove this host's cookies, and sign in again.`,
        );
      return secrets[0];
    },

    /**
     * Checks that a request with the cookie, or for one, comes from a page of this origin.
     * @throws FORBIDDEN for one that another site may have made.
     */
    checkOrigin({ method, headers }: IncomingMessage): void {
      const isSafe = method === 'GET' || method === 'HEAD';
      const isOwn = isSafe ? !isForeign(headers, isSecure) : isFromConsole(headers, isSecure);
      if (!isOwn)
        throw new Failure(
          'FORBIDDEN',
          `A browser session serves the console alone: send the request from a page of this origin, with the header "${consoleHeader}: 1", or with an API key.`,
        );
    },

    /** Returns the header that sets the cookie, or ends it by an empty secret. */
    headerOf: (secret: string): string =>
      `${name}=${secret}; Max-Age=${secret === '' ? 0 : browserSessionSecondsMax}; ${attributes}`,
  };
}

/** Does the request say that it is the console's? `checkOrigin` finds out. */
export const isOfConsole = ({ headers }: IncomingMessage): boolean =>
  headers[consoleHeader] !== undefined;

/** Of a safe request a browser tells no origin, unless another site reads its reply. */
function isForeign(headers: IncomingHttpHeaders, isSecure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  // A person who types the address, or saves a link, has no site.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return headers.origin !== undefined && headers.origin !== originOf(headers, isSecure);
}

function isFromConsole(headers: IncomingHttpHeaders, isSecure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  // Browsers leave it out where a page came by plain http and not from this machine.
  const isSameOrigin =
    site === undefined
      ? headers.origin !== undefined && headers.origin === originOf(headers, isSecure)
      : site === 'same-origin';
  return isSameOrigin && headers[consoleHeader] === '1';
}

const originOf = ({ host }: IncomingHttpHeaders, isSecure: boolean): string =>
  `${isSecure ? 'https' : 'http'}://${host}`.toLowerCase();
