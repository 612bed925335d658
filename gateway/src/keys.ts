import { hash } from 'node:crypto';
import { Failure, unavailable } from '@assay/contracts/failure';
import { identity, type VerifiedKey } from '@assay/contracts/identity';
import { type Bus, subjectOf } from '@assay/runtime/bus';
import type { ServiceClient } from '@assay/runtime/http-client';
import { serviceIdentity } from '@assay/runtime/signature';

/** Who a key belongs to. */
export interface Caller {
  organizationId: string;
  userId: string;
  role: 'admin' | 'member' | 'anonymous';
  apiKeyId: string | null;
}

/** A known key is believed this long without asking again: no longer, should every other notice be lost. */
const knownMs = 30_000;
/**
 * An unknown one only so long that a flood of it costs little, and so short that nobody waits for a new key. Any key while the bus is
 * away, since nobody tells us of a revocation then.
 */
const brieflyMs = 1000;
const keysMax = 10_000;
const keyCharactersMax = 512;

interface Remembered {
  caller: Caller | undefined;
  expiresAtMs: number;
  untilMs: number;
}

export interface Keys {
  /**
   * Who calls, by the Authorization header.
   * @throws UNAUTHORIZED for a missing or an invalid key, SERVICE_UNAVAILABLE when it must be asked for and identity does not answer.
   */
  callerOf(authorization: string | undefined): Caller | Promise<Caller>;
}

/** The id under which a key is known everywhere: its SHA-256, so that nobody but its holder has the key. base64url. */
export const hashKey = (key: string): string => hash('sha256', key, 'base64url');

interface KeysOptions {
  bus: Bus;
  /** Identity over HTTP: asked while the bus is away. */
  direct: Pick<ServiceClient<typeof identity>, 'verifyKeyDirectly'>;
  now?: () => number;
}

/** Keys as identity knows them, kept for 30 s; revocations and changed members take effect when they are announced. */
export function createKeys({ bus, direct, now = Date.now }: KeysOptions): Keys {
  const ask = bus.asks(identity).identity;
  const known = new Map<string, Remembered>();
  const unknown = new Map<string, Remembered>();
  const asking = new Map<string, Promise<Remembered>>();
  // An answer that was asked for before something was forgotten may be the old one: it is used once and not kept.
  let forgotten = 0;

  function forget(isMeant: (keyHash: string, caller: Caller) => boolean): void {
    forgotten += 1;
    asking.clear();
    for (const [keyHash, { caller }] of known) if (isMeant(keyHash, caller!)) known.delete(keyHash);
  }

  const { prefix } = bus.options;
  bus.hear(subjectOf(prefix, 'event', 'identity', 'keyRevoked'), (payload) => {
    const revoked = (payload as { keyHash: string }).keyHash;
    forget((keyHash) => keyHash === revoked);
  });
  bus.hear(subjectOf(prefix, 'event', 'identity', 'memberChanged'), (payload) => {
    const changed = (payload as { userId: string }).userId;
    forget((_keyHash, { userId }) => userId === changed);
  });
  // While the bus is away nobody tells us of a revocation.
  bus.onDisconnect(() => forget(() => true));

  function recall(keyHash: string): Remembered | undefined {
    const remembered = known.get(keyHash) ?? unknown.get(keyHash);
    return remembered && remembered.untilMs > now() ? remembered : undefined;
  }

  function askOnce(keyHash: string): Promise<Remembered> {
    const underWay = asking.get(keyHash);
    if (underWay) return underWay;
    const answer = askIdentity(keyHash).finally(() => {
      if (asking.get(keyHash) === answer) asking.delete(keyHash);
    });
    asking.set(keyHash, answer);
    return answer;
  }

  async function askIdentity(keyHash: string): Promise<Remembered> {
    const before = forgotten;
    const isTold = bus.isConnected();
    const verify = isTold ? ask.verifyKey : direct.verifyKeyDirectly;
    const verified = await verify(serviceIdentity(''), { keyHash }).catch((error: unknown) => {
      throw unavailable('API keys cannot be checked at the moment.', error);
    });
    const remembered = toRemembered(verified, now(), isTold ? knownMs : brieflyMs);
    if (forgotten === before) keep(remembered.caller ? known : unknown, keyHash, remembered);
    return remembered;
  }

  function open({ caller, expiresAtMs }: Remembered): Caller {
    if (!caller || expiresAtMs <= now()) throw invalidKey();
    return caller;
  }

  return {
    callerOf: (authorization) => {
      const keyHash = hashKey(bearerOf(authorization));
      const remembered = recall(keyHash);
      return remembered ? open(remembered) : askOnce(keyHash).then(open);
    },
  };
}

function toRemembered(verified: VerifiedKey, now: number, keptMs: number): Remembered {
  if (verified.outcome === 'unknown') return { caller: undefined, expiresAtMs: now, untilMs: now + brieflyMs };
  const { organizationId, userId, role, apiKeyId, expiresAtMs } = verified;
  return {
    caller: { organizationId, userId, role, apiKeyId },
    expiresAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
    untilMs: now + keptMs,
  };
}

/** Keeps the newest; a Map's first key is its oldest. */
function keep(map: Map<string, Remembered>, keyHash: string, remembered: Remembered): void {
  map.delete(keyHash);
  if (map.size >= keysMax) map.delete(map.keys().next().value!);
  map.set(keyHash, remembered);
}

/** The key of an Authorization header, so far as its form says that it is one. */
function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '')
    throw unauthorized('The API key is missing: send "Authorization: Bearer <key>".');
  const key = /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
  if (key !== undefined && isJwt(key))
    throw unauthorized('The API key is invalid: token-shaped (JWT) keys ended on 20 July 2025. Create a new key, which starts with "ak_".');
  if (key === undefined || !key.startsWith('ak_') || key.length > keyCharactersMax) throw invalidKey();
  return key;
}

const isJwt = (key: string): boolean => key.startsWith('eyJ') && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(key);

const invalidKey = (): Failure => unauthorized('The API key is invalid.');
const unauthorized = (message: string): Failure => new Failure('UNAUTHORIZED', message);
