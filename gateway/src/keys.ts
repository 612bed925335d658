import { Failure, unavailable } from '@assay/contracts/failure';
import { identity, type VerifiedKey } from '@assay/contracts/identity';
import { hashOf, isKey } from '@assay/runtime/api-key';
import { type Bus, subjectOf } from '@assay/runtime/bus/bus';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import type { ServiceClient } from '@assay/runtime/http/client';
import { serviceIdentity } from '@assay/runtime/signature';
import { LRUCache } from 'lru-cache';

/** Who a key belongs to. */
export interface Caller {
  organizationId: string;
  userId: string;
  role: 'admin' | 'member' | 'anonymous';
  apiKeyId: string | null;
}

/**
 * How long a known key is trusted without asking again, also when the notice of its revocation is
 * lost.
 */
const knownMs = 30_000;
/**
 * How long the answer for an unknown key is kept: a flood of that key costs little, and a new key
 * works almost at once. While the bus is away it holds for known keys too, since no revocation is
 * announced then.
 */
const brieflyMs = 1000;
const keysMax = 10_000;
/** Unknown keys from one address in a second; further ones are refused without asking identity. */
const strangersMax = 20;
/** Questions about unknown keys of one address at once. */
const strangersAtOnce = 16;
const strangersEveryMs = 1000;

interface KnownKey {
  caller: Caller | undefined;
  expiresAtMs: number;
  fromMs: number;
  untilMs: number;
}

/**
 * The caller whose key a request carries, and the key's hash, with which identity can be asked
 * again.
 */
export interface KeyOwner {
  keyHash: string;
  caller: Caller;
}

export interface Keys {
  /**
   * Who calls, by the Authorization header, from a network address.
   * @throws UNAUTHORIZED for a missing or an invalid key, RATE_LIMITED where too many unknown keys
   * came from the address, SERVICE_UNAVAILABLE when the key must be asked about and identity does
   * not answer.
   */
  ownerOf(authorization: string | undefined, address: string): KeyOwner | Promise<KeyOwner>;
  /** Does the key still belong to the same caller? True as well where identity cannot be asked. */
  isStillGood(owner: KeyOwner): boolean | Promise<boolean>;
}

interface KeysOptions {
  bus: Bus;
  /** Identity over HTTP: asked while the bus is away. */
  direct: Pick<ServiceClient<typeof identity>, 'verifyKeyDirectly'>;
  now?: () => number;
}

/**
 * Caches identity's answers about keys for 30 s; a revocation or a changed member takes effect as
 * soon as it is announced.
 */
export function createKeys({ bus, direct, now = Date.now }: KeysOptions): Keys {
  const ask = bus.asks(identity).identity;
  const known = new LRUCache<string, KnownKey>({ max: keysMax });
  const unknown = new LRUCache<string, KnownKey>({ max: keysMax });
  const asking = new Map<string, Promise<KnownKey>>();
  // An answer that was asked for before something was forgotten may be the old one: it is used once
  // and not kept.
  let forgotten = 0;

  function forget(isMeant: (keyHash: string, caller: Caller) => boolean): void {
    forgotten += 1;
    asking.clear();
    for (const [keyHash, { caller }] of [...known])
      if (isMeant(keyHash, caller!)) known.delete(keyHash);
  }

  const { prefix } = bus.options;
  bus.subscribeInEveryProcess(subjectOf(prefix, 'event', 'identity', 'keyRevoked'), (payload) => {
    const revoked = (payload as { keyHash: string }).keyHash;
    forget((keyHash) => keyHash === revoked);
  });
  bus.subscribeInEveryProcess(
    subjectOf(prefix, 'event', 'identity', 'memberChanged'),
    (payload) => {
      const changed = (payload as { userId: string }).userId;
      forget((_keyHash, { userId }) => userId === changed);
    },
  );
  // No revocation is announced while the bus is away.
  bus.onDisconnect(() => forget(() => true));

  function recall(keyHash: string): KnownKey | undefined {
    const remembered = known.get(keyHash) ?? unknown.get(keyHash);
    if (!remembered) return undefined;
    const at = now();
    // An answer from the future shows that the clock was set back: its age is unknown.
    return remembered.fromMs <= at && at < remembered.untilMs ? remembered : undefined;
  }

  function askOnce(keyHash: string): Promise<KnownKey> {
    // Known since the caller looked, when it has waited for a permit.
    const remembered = recall(keyHash);
    if (remembered) return Promise.resolve(remembered);
    const underWay = asking.get(keyHash);
    if (underWay) return underWay;
    const answer = askIdentity(keyHash).finally(() => {
      if (asking.get(keyHash) === answer) asking.delete(keyHash);
    });
    asking.set(keyHash, answer);
    return answer;
  }

  async function askIdentity(keyHash: string): Promise<KnownKey> {
    const before = forgotten;
    const isTold = bus.isConnected();
    const verify = isTold ? ask.verifyKey : direct.verifyKeyDirectly;
    const verified = await verify(serviceIdentity(''), { keyHash }).catch((error: unknown) => {
      throw unavailable('API keys cannot be checked at the moment.', error);
    });
    const remembered = toRemembered(verified, now(), isTold ? knownMs : brieflyMs);
    if (forgotten === before) (remembered.caller ? known : unknown).set(keyHash, remembered);
    return remembered;
  }

  const askAboutStranger = createStrangers(now);

  function open(keyHash: string, { caller, expiresAtMs }: KnownKey): KeyOwner {
    if (!caller || expiresAtMs <= now()) throw invalidKey();
    return { keyHash, caller };
  }

  return {
    ownerOf: (authorization, address) => {
      const key = bearerOf(authorization);
      const keyHash = hashOf(key);
      const remembered = recall(keyHash);
      if (remembered) return open(keyHash, remembered);
      if (!isKey(key)) throw invalidKey();
      const ask = () => askOnce(keyHash);
      // A key that was good half a minute ago does not count as unknown.
      return (known.has(keyHash) ? ask() : askAboutStranger(address, ask)).then((answer) =>
        open(keyHash, answer),
      );
    },
    isStillGood: ({ keyHash, caller }) => {
      const isSame = (remembered: KnownKey) =>
        remembered.caller?.role === caller.role &&
        remembered.caller.userId === caller.userId &&
        remembered.expiresAtMs > now();
      const remembered = recall(keyHash);
      return remembered ? isSame(remembered) : askOnce(keyHash).then(isSame, () => true);
    },
  };
}

/**
 * Bounds the questions about unknown keys for each address, since each costs a message on the bus
 * and a read of the database. A few are asked at once; when too many come in a second, the next
 * ones are refused without asking.
 */
function createStrangers(now: () => number) {
  const withPermit = createFairSemaphore({
    permits: 4 * strangersAtOnce,
    permitsEach: strangersAtOnce,
  });
  const counts = new Map<string, number>();
  let windowEndsMs = 0;

  function check(address: string): void {
    const at = now();
    // A window that ends too far in the future began before the clock was set back.
    if (at >= windowEndsMs || at < windowEndsMs - strangersEveryMs) {
      counts.clear();
      windowEndsMs = at + strangersEveryMs;
    }
    if ((counts.get(address) ?? 0) >= strangersMax)
      throw new Failure('RATE_LIMITED', 'Too many unknown API keys came from this address.', {
        retryAfterSeconds: 1,
      });
  }

  return (address: string, ask: () => Promise<KnownKey>): Promise<KnownKey> => {
    check(address);
    return withPermit(address, async () => {
      check(address);
      const remembered = await ask();
      if (!remembered.caller) counts.set(address, (counts.get(address) ?? 0) + 1);
      return remembered;
    });
  };
}

function toRemembered(verified: VerifiedKey, now: number, keptMs: number): KnownKey {
  if (verified.outcome === 'unknown')
    return { caller: undefined, expiresAtMs: now, fromMs: now, untilMs: now + brieflyMs };
  const { organizationId, userId, role, apiKeyId, expiresAtMs } = verified;
  return {
    caller: { organizationId, userId, role, apiKeyId },
    expiresAtMs: expiresAtMs ?? Number.POSITIVE_INFINITY,
    fromMs: now,
    untilMs: now + keptMs,
  };
}

/** The key of an Authorization header. */
function bearerOf(authorization: string | undefined): string {
  if (authorization === undefined || authorization === '')
    throw unauthorized('The API key is missing: send "Authorization: Bearer <key>".');
  const key = /^bearer +([^ ]+)$/i.exec(authorization)?.[1];
  if (key !== undefined && isJwt(key))
    throw unauthorized(
      'The API key is invalid: token-shaped (JWT) keys ended on 20 July 2025. Create a new key, which starts with "ak_".',
    );
  if (key === undefined) throw invalidKey();
  return key;
}

const isJwt = (key: string): boolean =>
  key.startsWith('eyJ') && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(key);

export const invalidKey = (): Failure => unauthorized('The API key is invalid.');
const unauthorized = (message: string): Failure => new Failure('UNAUTHORIZED', message);
