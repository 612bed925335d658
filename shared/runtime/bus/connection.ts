import { readFileSync } from 'node:fs';
import {
  type ConnectionOptions,
  connect,
  credsAuthenticator,
  ErrorCode,
  type NatsConnection,
} from 'nats';
import { ConfigurationError, type NatsConfig } from '../config.ts';
import type { Credentials } from '../keys.ts';
import type { Log } from '../log.ts';

const connectTimeoutMs = 3000;
const jetStreamTimeoutMs = 1500;
const retryMs = 200;
/** How often a process that waits for NATS says so. */
const remindMs = 10_000;

export interface NatsOptions {
  urls: string[];
  /** Credentials and TLS. */
  nats?: NatsConfig | undefined;
  /** Who connects, where neither an address nor `nats` says so: read anew for each connection. */
  user?: (() => Credentials | undefined) | undefined;
  name: string;
  log: Log;
  /** How long a server that can be used is waited for: a minute when left out. */
  waitMs?: number;
}

/**
 * Connects to a NATS server that has JetStream. While there is none, logs the problem and tries
 * again; once connected, the connection comes back by itself, however long it was away.
 * @throws ConfigurationError with a sentence that names the variable and the remedy: at once for
 * credentials that cannot be read, after `waitMs` for a server that cannot be used.
 */
export async function connectNats({
  urls,
  nats = {},
  user,
  name,
  log,
  waitMs = 60_000,
}: NatsOptions): Promise<NatsConnection> {
  const target = targetOf(urls, nats, user);
  const deadline = performance.now() + waitMs;
  let saidAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      // Replies come to a subject of the process's own, so that a user may be kept from those of others.
      return await open({ ...target.options, name, inboxPrefix: inboxOf(name) });
    } catch (error) {
      const sentence = `NATS_URL: ${describe(error, target)}.`;
      if (performance.now() >= deadline) throw new ConfigurationError(sentence, { cause: error });
      if (performance.now() - saidAt > remindMs) {
        log.error(sentence);
        saidAt = performance.now();
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}

/** The beginning of the subjects to which a process gets replies. */
export const inboxOf = (name: string): string => `_INBOX.${name}`;

async function open(options: ConnectionOptions): Promise<NatsConnection> {
  const connection = await connect({
    ...options,
    maxReconnectAttempts: -1,
    // A password that is changed everywhere at once is refused here or there for a while.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 200,
    reconnectJitter: 100,
    timeout: connectTimeoutMs,
    pingInterval: 5000,
  });
  try {
    await connection.jetstreamManager({ timeout: jetStreamTimeoutMs });
    return connection;
  } catch (error) {
    await connection.close();
    throw new NoJetStream((error as Error).message);
  }
}

/** The server was reached, and its JetStream was not. */
class NoJetStream extends Error {}

interface Target {
  options: ConnectionOptions;
  /** The servers, without credentials. */
  address: string;
  /** Who is to be let in, as a sentence says it. */
  caller: string | undefined;
}

function targetOf(urls: string[], nats: NatsConfig, own: NatsOptions['user']): Target {
  const servers = urls.map(splitUrl);
  const { caller, ...credentials } = credentialsOf(
    servers.find(({ userinfo }) => userinfo !== undefined)?.userinfo,
    nats,
    own,
  );
  return {
    options: { ...credentials, ...tlsOf(servers, nats), servers: servers.map(({ host }) => host) },
    address: servers.map(({ host }) => host).join(', '),
    caller,
  };
}

/** The client takes no credentials in a URL. */
function splitUrl(url: string): { protocol: string; userinfo: string | undefined; host: string } {
  const [, protocol, userinfo, host] = /^(\w+):\/\/(?:(.*)@)?([^/]*)/.exec(url)!;
  return { protocol: protocol!, userinfo, host: host! };
}

type GivenCredentials = Pick<ConnectionOptions, 'user' | 'pass' | 'token' | 'authenticator'> & {
  caller?: string;
};

function credentialsOf(
  userinfo: string | undefined,
  nats: NatsConfig,
  own: NatsOptions['user'],
): GivenCredentials {
  const {
    NATS_USER: user,
    NATS_PASSWORD: password,
    NATS_TOKEN: token,
    NATS_CREDENTIALS_FILE: file,
  } = nats;
  const given = Object.entries({
    'NATS_URL (before the @)': userinfo,
    NATS_USER: user,
    NATS_TOKEN: token,
    NATS_CREDENTIALS_FILE: file,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name]) => name);
  if (given.length > 1)
    throw new ConfigurationError(
      `${given.join(' and ')} give credentials of NATS: leave all but one out.`,
    );
  if ((user === undefined) !== (password === undefined))
    throw new ConfigurationError('NATS_USER and NATS_PASSWORD need each other: set both.');
  if (userinfo !== undefined) return fromUserinfo(userinfo);
  if (user !== undefined)
    return { user, pass: password!, caller: `the user "${user}" with this NATS_PASSWORD` };
  if (token !== undefined) return { token, caller: 'this NATS_TOKEN' };
  if (file === undefined) return ownCredentials(own);
  readNamed('NATS_CREDENTIALS_FILE', file);
  // Read again for each connection, since such credentials are renewed.
  return {
    authenticator: credsAuthenticator(() => readFileSync(file)),
    caller: `the credentials in ${file}`,
  };
}

/** Those that stand beside the keys of the process. */
function ownCredentials(own: NatsOptions['user']): GivenCredentials {
  const known = own?.();
  if (!known) return {};
  return {
    authenticator: () => {
      const { user, password: pass } = own!() ?? known;
      return { user, pass };
    },
    caller: `the user "${known.user}" of the keys of this process`,
  };
}

/** A user and a password, or a token alone. */
function fromUserinfo(userinfo: string): GivenCredentials {
  const [first = '', password] = userinfo.split(/:(.*)/s, 2).map(decodeURIComponent);
  if (password === undefined) return { token: first, caller: 'the token before the @' };
  return {
    user: first,
    pass: password,
    caller: `the user "${first}" with the password before the @`,
  };
}

function tlsOf(servers: { protocol: string }[], nats: NatsConfig): Pick<ConnectionOptions, 'tls'> {
  const {
    NATS_TLS_CA_FILE: caFile,
    NATS_TLS_CERT_FILE: certFile,
    NATS_TLS_KEY_FILE: keyFile,
  } = nats;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new ConfigurationError(
      'NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE need each other: set both.',
    );
  const files = {
    NATS_TLS_CA_FILE: caFile,
    NATS_TLS_CERT_FILE: certFile,
    NATS_TLS_KEY_FILE: keyFile,
  };
  const named = Object.entries(files).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  for (const [name, file] of named) readNamed(name, file);
  if (named.length === 0 && servers.every(({ protocol }) => protocol !== 'tls')) return {};
  return {
    tls: {
      ...(caFile === undefined ? {} : { caFile }),
      ...(certFile === undefined ? {} : { certFile, keyFile: keyFile! }),
    },
  };
}

function readNamed(name: string, file: string): void {
  try {
    readFileSync(file);
  } catch (error) {
    throw new ConfigurationError(
      `${name} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
}

/** Returns the fault and its remedy, without the variable before it and the full stop after it. */
function describe(error: unknown, { address, caller, options }: Target): string {
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (error instanceof NoJetStream)
    return `the NATS server at ${address} has no JetStream, which Assay needs (${message}): start nats-server with --jetstream`;
  if (code === ErrorCode.ConnectionRefused)
    return `no NATS server listens at ${address}: start nats-server, or correct the address`;
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return `the host of ${address} is not known (${code}): correct the address`;
  if (code === ErrorCode.AuthorizationViolation)
    return caller === undefined
      ? `the NATS server at ${address} asks for credentials: set NATS_USER and NATS_PASSWORD, NATS_TOKEN or NATS_CREDENTIALS_FILE`
      : `the NATS server at ${address} refuses ${caller}: correct what is refused`;
  if (code === ErrorCode.ServerOptionNotAvailable)
    return `the NATS server at ${address} has no TLS: write nats:// in place of tls:// and leave out NATS_TLS_…, or give the server a certificate`;
  if (isCertificateFault(code))
    return `the certificate of the NATS server at ${address} is not trusted (${message}): set NATS_TLS_CA_FILE to the certificate of its authority`;
  if (code === ErrorCode.Timeout || code === ErrorCode.ConnectionTimeout)
    return `${address} does not answer as a NATS server${
      options.tls ? ', or wants a certificate (NATS_TLS_CERT_FILE and NATS_TLS_KEY_FILE)' : ''
    }: name the port for clients, 4222 where nothing else is configured`;
  return `the NATS server at ${address} cannot be used: ${message}`;
}

/** The codes that OpenSSL and Node give a certificate that does not pass. */
const isCertificateFault = (code: string): boolean => /CERT|SIGNATURE|ISSUER|HOSTNAME/.test(code);
