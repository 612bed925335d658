import { Failure, organizationSuspended, unavailable } from '@assay/contracts/failure';
import { identity, type VerifiedKey, type VerifiedSession } from '@assay/contracts/identity';
import { hashOf, isKey, isSessionSecret } from '@assay/runtime/api-key';
import type { Bus } from '@assay/runtime/bus/bus';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { networkOf } from '@assay/runtime/http/address';
import type { ServiceClient } from '@assay/runtime/http/client';
import { serviceIdentity } from '@assay/runtime/signature';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import { createAddressCounts } from './address-counts.ts';
import { createStrangers } from './strangers.ts';

/** Who a key or a browser session belongs to. */
export interface Caller {
  organizationId: string;
  userId: string;
  role: 'admin' | 'member' | 'anonymous';
  apiKeyId: string | null;
  browserSessionId?: string;
  /** The hash of the session's second secret, with which requests of the console come. */
  consoleSecretHash?: string;
}

/** The two kinds of secrets that say who calls. */
type SecretKind = 'key' | 'session';

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

/** Identity's answer about a key or a browser session. */
interface KnownKey {
  kind: SecretKind;
  /** Undefined where the secret is nobody's, or its organization is suspended. */
  caller: Caller | undefined;
  isSuspended?: boolean | undefined;
  expiresAtMs: number;
  fromMs: number;
  untilMs: number;
}

/**
 * The caller whose key or browser session a request carries, and the hash of that, with which
 * identity can be asked again.
 */
export interface KeyOwner {
  kind: SecretKind;
  secretHash: string;
  caller: Caller;
}

export interface Keys {
  /**
   * Who calls, by the Authorization header, from a network address.
   * @throws UNAUTHORIZED for a missing or an invalid key, FORBIDDEN for one of a suspended
   * organization, RATE_LIMITED for an invalid one where too
   * many came from the address, SERVICE_UNAVAILABLE when the key must be asked about and identity does
   * not answer.
   */
  ownerOf(authorization: string | undefined, address: string): KeyOwner | Promise<KeyOwner>;
  /**
   * Who calls, by the secret of a browser session.
   * @throws as `ownerOf`.
   */
  ownerOfSession(secret: string, address: string): KeyOwner | Promise<KeyOwner>;
  /** Who calls by an address that a session signed, which has the hash of its secret. */
  ownerOfSessionHash(secretHash: string): KeyOwner | Promise<KeyOwner>;
  /**
   * Counts a request of a sign-in or a device login, which comes without a key.
   * @throws RATE_LIMITED where too many came from the address.
   */
  countSignIn(address: string): void;
  /**
   * Why a request ends whose key does not belong to the same caller any more. Undefined where it
   * does, and where identity cannot be asked.
   */
  faultOf(owner: KeyOwner): Failure | undefined | Promise<Failure | undefined>;
}

interface KeysOptions {
  bus: Bus;
  /** Identity over HTTP: asked while the bus is away. */
  direct: Pick<ServiceClient<typeof identity>, 'verifyKeyDirectly' | 'verifySessionDirectly'>;
  now?: () => number;
}

/**
 * Caches identity's answers about keys and browser sessions for 30 s; a revocation, a changed member
 * or a sign-out takes effect as soon as it is announced.
 */
export function createKeys({ bus, direct, now = Date.now }: KeysOptions): Keys {
  const ask = bus.asks(identity).identity;
  const known = new LRUCache<string, KnownKey>({ max: keysMax });
  const unknown = new LRUCache<string, KnownKey>({ max: keysMax });
  const asking = new Map<string, Promise<KnownKey>>();
  // An answer that was asked for before something was forgotten may be the old one: it is used once
  // and not kept.
  let forgotten = 0;

  function forget(isMeant: (secretHash: string, caller: Caller) => boolean): void {
    forgotten += 1;
    asking.clear();
    for (const [secretHash, { caller }] of [...known])
      if (isMeant(secretHash, caller!)) known.delete(secretHash);
  }

  function hear<Name extends keyof Events>(
    event: Name,
    isMeant: (payload: Payload<Name>, secretHash: string, caller: Caller) => boolean,
  ): void {
    const { prefix } = bus.options;
    bus.subscribeInEveryProcess(subjectOf(prefix, 'event', 'identity', event), (payload) =>
      forget((secretHash, caller) => isMeant(payload as Payload<Name>, secretHash, caller)),
    );
  }
  // The sessions that the key began end with it.
  hear(
    'keyRevoked',
    ({ keyHash, apiKeyId }, secretHash, caller) =>
      secretHash === keyHash || (apiKeyId !== undefined && caller.apiKeyId === apiKeyId),
  );
  hear(
    'suspensionChanged',
    ({ organizationId }, _secretHash, caller) => caller.organizationId === organizationId,
  );
  hear('memberChanged', ({ userId }, _secretHash, caller) => caller.userId === userId);
  hear(
    'browserSessionEnded',
    ({ browserSessionId }, _secretHash, caller) => caller.browserSessionId === browserSessionId,
  );
  // No revocation is announced while the bus is away.
  bus.onDisconnect(() => forget(() => true));

  function recall(kind: SecretKind, secretHash: string): KnownKey | undefined {
    const remembered = known.get(secretHash) ?? unknown.get(secretHash);
    // The secret of a session is no key, although it has an owner.
    if (remembered?.kind !== kind) return undefined;
    const at = now();
    // An answer from the future shows that the clock was set back: its age is unknown.
    return remembered.fromMs <= at && at < remembered.untilMs ? remembered : undefined;
  }

  function askOnce(kind: SecretKind, secretHash: string): Promise<KnownKey> {
    // Known since the caller looked, when it has waited for a permit.
    const remembered = recall(kind, secretHash);
    if (remembered) return Promise.resolve(remembered);
    const underWay = asking.get(secretHash);
    if (underWay) return underWay;
    const answer = askIdentity(kind, secretHash).finally(() => {
      if (asking.get(secretHash) === answer) asking.delete(secretHash);
    });
    asking.set(secretHash, answer);
    return answer;
  }

  async function askIdentity(kind: SecretKind, secretHash: string): Promise<KnownKey> {
    const before = forgotten;
    const isTold = bus.isConnected();
    const verified = await verify[kind](isTold, secretHash).catch((error: unknown) => {
      throw unavailable('API keys cannot be checked at the moment.', error);
    });
    const remembered = toRemembered(kind, verified, now(), isTold ? knownMs : brieflyMs);
    if (forgotten === before) (remembered.caller ? known : unknown).set(secretHash, remembered);
    return remembered;
  }

  const verify = {
    key: (isTold: boolean, keyHash: string): Promise<VerifiedKey> =>
      (isTold ? ask.verifyKey : direct.verifyKeyDirectly)(serviceIdentity(''), { keyHash }),
    session: (isTold: boolean, secretHash: string): Promise<VerifiedSession> =>
      (isTold ? ask.verifySession : direct.verifySessionDirectly)(serviceIdentity(''), {
        secretHash,
      }),
  };
  const askAboutStranger = createStrangers<KnownKey>({
    now,
    findHeld: async (secretHashes) =>
      (await ask.findHeldSecrets(serviceIdentity(''), { secretHashes })).held,
    isKnown: ({ caller, isSuspended = false }) => caller !== undefined || isSuspended,
  });
  const signIns = createAddressCounts(now, 'sign-ins without an API key');

  function open(secretHash: string, known: KnownKey): KeyOwner {
    const { kind, caller, expiresAtMs } = known;
    if (!caller || expiresAtMs <= now()) throw refusalBy(known);
    return { kind, secretHash, caller };
  }

  function ownerOfSecret(
    kind: SecretKind,
    secret: string,
    address: string,
  ): KeyOwner | Promise<KeyOwner> {
    const secretHash = hashOf(secret);
    const remembered = recall(kind, secretHash);
    if (remembered) return open(secretHash, remembered);
    if (!hasForm[kind](secret)) throw noLongerGood(kind);
    const ask = () => askOnce(kind, secretHash);
    // A key that was good half a minute ago does not count as unknown.
    return (
      known.has(secretHash) ? ask() : askAboutStranger(networkOf(address), secretHash, ask)
    ).then((answer) => open(secretHash, answer));
  }

  return {
    ownerOf: (authorization, address) => ownerOfSecret('key', bearerOf(authorization), address),
    ownerOfSession: (secret, address) => ownerOfSecret('session', secret, address),
    ownerOfSessionHash: (secretHash) => {
      const remembered = recall('session', secretHash);
      if (remembered) return open(secretHash, remembered);
      return askOnce('session', secretHash).then((answer) => open(secretHash, answer));
    },
    countSignIn: (address) => {
      const network = networkOf(address);
      signIns.check(network);
      signIns.count(network);
    },
    faultOf: ({ kind, secretHash, caller }) => {
      const isSame = (remembered: KnownKey) =>
        remembered.caller?.role === caller.role &&
        remembered.caller.userId === caller.userId &&
        remembered.expiresAtMs > now();
      const faultBy = (remembered: KnownKey) =>
        isSame(remembered) ? undefined : refusalBy(remembered);
      const remembered = recall(kind, secretHash);
      return remembered
        ? faultBy(remembered)
        : askOnce(kind, secretHash).then(faultBy, () => undefined);
    },
  };
}

type Events = (typeof identity)['events'];
type Payload<Name extends keyof Events> = z.output<Events[Name]['payload']>;

/** Tells garbage apart without asking anyone. */
const hasForm = { key: isKey, session: isSessionSecret };

function toRemembered(
  kind: SecretKind,
  verified: VerifiedKey | VerifiedSession,
  now: number,
  keptMs: number,
): KnownKey {
  if (verified.outcome === 'unknown')
    return {
      kind,
      caller: undefined,
      isSuspended: verified.isSuspended,
      expiresAtMs: now,
      fromMs: now,
      untilMs: now + brieflyMs,
    };
  const { outcome: _outcome, expiresAtMs, ...caller } = verified;
  return {
    kind,
    caller,
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

const invalidKey = (): Failure => unauthorized('The API key is invalid.');

/** Why a request with a key or a session ends. */
const refusalBy = ({ kind, isSuspended }: KnownKey): Failure =>
  isSuspended ? organizationSuspended() : noLongerGood(kind);

const noLongerGood = (kind: SecretKind): Failure =>
  kind === 'key'
    ? invalidKey()
    : unauthorized('The browser session has ended or is invalid: sign in again.');
const unauthorized = (message: string): Failure => new Failure('UNAUTHORIZED', message);
