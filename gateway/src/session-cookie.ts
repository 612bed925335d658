import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Failure } from '@assay/contracts/failure';
import { browserSessionSecondsMax } from '@assay/contracts/identity';
import { hashOf } from '@assay/runtime/api-key';
import { consoleHeader } from '@assay/runtime/http/reply';
import { areEqualSecrets } from '@assay/runtime/signature';

interface SessionCookieOptions {
  /** Where clients reach the gateway; without it by plain http, at the port of their `Host`. */
  publicUrl: URL | undefined;
  /** The path below which they reach it, such as `/assay`, or an empty text. */
  publicPath: string;
}

export type SessionCookie = ReturnType<typeof createSessionCookie>;

/**
 * The cookie of a browser session, and the rules by which a request may use it (contract sections 4
 * and 5). By https its name has a prefix with which browsers take it from this very host alone (RFC
 * 6265bis, section 4.1.3), or where it is limited to a path, by https alone. Browsers send a cookie
 * to every port of its host: so its name has the port, and a request needs the session's second
 * secret, which the console keeps where pages of other ports do not see it.
 */
export function createSessionCookie({ publicUrl, publicPath }: SessionCookieOptions) {
  const isSecure = publicUrl?.protocol === 'https:';
  const prefix = isSecure ? (publicPath === '' ? '__Host-' : '__Secure-') : '';
  const nameOf = ({ headers }: IncomingMessage): string =>
    `${prefix}assay-${portOf(publicUrl?.host ?? headers.host, isSecure)}`;
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
    secretOf(request: IncomingMessage): string | undefined {
      const { cookie } = request.headers;
      if (cookie === undefined) return undefined;
      const name = nameOf(request);
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
     * Checks that a request with the cookie has the session's second secret, and comes from a page
     * of this origin.
     * @throws UNAUTHORIZED without the secret, FORBIDDEN for one that another site may have made.
     */
    checkRequest(
      { method, headers }: IncomingMessage,
      consoleSecretHash: string | undefined,
    ): void {
      if (!isSecretOf(headers[consoleHeader], consoleSecretHash))
        throw new Failure(
          'UNAUTHORIZED',
          `The browser session is another page's: sign in again. Each request needs the header "${consoleHeader}" with the value that signing in gave, or an API key.`,
        );
      const isSafe = method === 'GET' || method === 'HEAD';
      if (isSafe ? isForeign(headers, isSecure) : !isOfThisOrigin(headers, isSecure))
        throw foreign(`"${consoleHeader}"`);
    },

    /**
     * Checks that a request for a session without an API key comes from a page of this origin.
     * @throws FORBIDDEN for one that another site may have made.
     */
    checkSignIn({ headers }: IncomingMessage): void {
      if (!isOfThisOrigin(headers, isSecure) || headers[consoleHeader] !== '1')
        throw foreign(`"${consoleHeader}: 1"`);
    },

    /** Returns the header that sets the cookie, or ends it by an empty secret. */
    headerOf: (request: IncomingMessage, secret: string): string =>
      `${nameOf(request)}=${secret}; Max-Age=${secret === '' ? 0 : browserSessionSecondsMax}; ${attributes}`,
  };
}

/** Does the request say that it is the console's? `checkSignIn` finds out. */
export const isOfConsole = ({ headers }: IncomingMessage): boolean =>
  headers[consoleHeader] !== undefined;

/** Of a safe request a browser tells no origin, unless another site reads its reply. */
function isForeign(headers: IncomingHttpHeaders, isSecure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  // A person who types the address, or saves a link, has no site.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  return headers.origin !== undefined && headers.origin !== originOf(headers, isSecure);
}

function isOfThisOrigin(headers: IncomingHttpHeaders, isSecure: boolean): boolean {
  const site = headers['sec-fetch-site'];
  // Browsers leave it out where a page came by plain http and not from this machine.
  return site === undefined
    ? headers.origin !== undefined && headers.origin === originOf(headers, isSecure)
    : site === 'same-origin';
}

/** Whether the text is the secret of this hash. In constant time. */
const isSecretOf = (text: string | string[] | undefined, secretHash: string | undefined): boolean =>
  typeof text === 'string' && secretHash !== undefined && areEqualSecrets(secretHash, hashOf(text));

const foreign = (header: string): Failure =>
  new Failure(
    'FORBIDDEN',
    `A browser session serves the console alone: send the request from a page of this origin, with the header ${header}, or with an API key.`,
  );

const portOf = (host: string | undefined, isSecure: boolean): string =>
  /:(\d+)$/.exec(host ?? '')?.[1] ?? (isSecure ? '443' : '80');

const originOf = ({ host }: IncomingHttpHeaders, isSecure: boolean): string =>
  `${isSecure ? 'https' : 'http'}://${host}`.toLowerCase();
