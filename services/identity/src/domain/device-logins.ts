import { randomInt } from 'node:crypto';
import type { Announcements, Identity } from '@assay/contracts/define';
import { Failure, organizationSuspended, unavailable } from '@assay/contracts/failure';
import {
  type ApiKey,
  type identity as contract,
  type DeviceLogin,
  deviceLoginSeconds,
  devicePollSeconds,
  type StartedDeviceLogin,
  userCodeLetters,
} from '@assay/contracts/identity';
import { hashOf, isDeviceCode, makeKey, newDeviceCode } from '@assay/runtime/api-key';
import { networkOf } from '@assay/runtime/http/address';
import type { AnsweredDeviceLogin, Store, StoredDeviceLogin } from '../store.ts';
import { isOver, toApiKey } from './keys.ts';

/** Logins that wait at once: those of one address or /64, and all. One is half a kilobyte. */
const waitingMax = { fromNetwork: 500, together: 10_000 };

/**
 * User codes that a member may try in vain in the time that one lasts: with 20^8 codes, of which
 * 10,000 wait at most, one in 250,000 members finds one (RFC 8628, section 5.1).
 */
const wrongCodesMax = 10;

/** A question may come so much too soon, in ms: networks are not even. */
const earlyMs = 1000;

interface Dependencies {
  store: Store;
  announce: Announcements<typeof contract>;
  clock: () => Date;
  newId: () => string;
}

export type DeviceLogins = ReturnType<typeof createDeviceLogins>;

/** The rules by which a device without a key gets one of a member (RFC 8628). */
export function createDeviceLogins({ store, announce, clock, newId }: Dependencies) {
  /** A code that nothing waits under counts against the member, also where many are tried at once. */
  async function waitingUnder(
    { organizationId, userId }: Identity,
    userCode: string,
  ): Promise<StoredDeviceLogin> {
    const now = clock();
    const tried = await store.countCodeAttempt(organizationId, {
      userId,
      now,
      forgottenAt: after(now, deviceLoginSeconds),
    });
    if (tried > wrongCodesMax)
      throw new Failure(
        'RATE_LIMITED',
        `You have tried ${wrongCodesMax} codes under which no login waits: begin the login again later.`,
        { retryAfterSeconds: deviceLoginSeconds },
      );
    const login = await store.findDeviceLogin(userCode, now);
    if (!login) throw nothingWaits(userCode);
    await store.forgetCodeAttempt(organizationId, userId);
    return login;
  }

  async function answer(
    identity: Identity,
    text: string,
    state: 'approved' | 'denied',
  ): Promise<DeviceLogin> {
    const login = await waitingUnder(identity, plainCode(text));
    const { organizationId, userId, apiKeyId } = identity;
    const role = identity.role === 'admin' ? ('admin' as const) : ('member' as const);
    const given = { state, userId, apiKeyId, role };
    const { userCode } = login;
    // Somebody else was first.
    if (!(await store.answerDeviceLogin(organizationId, { userCode, now: clock(), given })))
      throw nothingWaits(userCode);
    return toDeviceLogin({ ...login, state });
  }

  /** The member or the key that approved may have gone since. */
  async function mayStillApprove(
    { organizationId, userId, apiKeyId }: AnsweredDeviceLogin,
    now: Date,
  ): Promise<boolean> {
    if (!(await store.findMember(organizationId, userId))) return false;
    if (apiKeyId === null) return true;
    const key = await store.findKeyOf(organizationId, apiKeyId);
    return key !== undefined && !isOver(key.expiresAt, now);
  }

  /** The login is finished when its key is stored, and not otherwise. */
  const spend = (login: AnsweredDeviceLogin): Promise<ApiKey & { key: string }> =>
    store.transaction(async () => {
      const { organizationId, userId, role, clientName } = login;
      await store.lockOrganization(organizationId);
      if (!(await store.deleteDeviceLogin(organizationId, login.deviceCodeHash))) throw expired();
      const createdAt = clock();
      if (!(await mayStillApprove(login, createdAt))) throw denied();
      if (await store.isSuspended(organizationId)) throw organizationSuspended();
      const { key, kept } = makeKey();
      const stored = {
        id: newId(),
        organizationId,
        ...kept,
        name: `assay login on ${clientName}`,
        role,
        createdByUserId: userId,
        createdAt,
        expiresAt: null,
        lastUsedAt: null,
        isOfDevice: true as const,
      };
      await store.createKey(organizationId, stored);
      return { ...toApiKey(stored), key };
    });

  /**
   * Where there is none, the oldest login gives way about which no device ever asked: a device asks
   * every few seconds, and whoever only fills the list does not.
   */
  async function makeRoom(clientNetwork: string): Promise<void> {
    const { fromNetwork, together } = await store.countDeviceLogins(clientNetwork);
    const isNetworkFull = fromNetwork >= waitingMax.fromNetwork;
    if (!isNetworkFull && together < waitingMax.together) return;
    if (await store.deleteForgottenDeviceLogin(isNetworkFull ? { clientNetwork } : {})) return;
    throw new Failure('RATE_LIMITED', 'Too many logins of devices wait for their approval.', {
      retryAfterSeconds: 60,
    });
  }

  return {
    async createDeviceLogin(
      { clientAddress = '' }: Identity,
      { clientName }: { clientName: string },
    ): Promise<StartedDeviceLogin> {
      const createdAt = clock();
      const clientNetwork = networkOf(clientAddress);
      await makeRoom(clientNetwork);
      const deviceCode = newDeviceCode();
      const userCode = newUserCode();
      const isCreated = await store.createDeviceLogin({
        deviceCodeHash: hashOf(deviceCode),
        userCode,
        clientName,
        clientAddress,
        clientNetwork,
        createdAt,
        expiresAt: after(createdAt, deviceLoginSeconds),
        askedAt: null,
        state: 'waiting',
      });
      if (!isCreated) throw unavailable('The code that was drawn is in use.');
      return {
        deviceCode,
        userCode: shownCode(userCode),
        verificationPath: `/device?code=${shownCode(userCode)}`,
        expiresInSeconds: deviceLoginSeconds,
        intervalSeconds: devicePollSeconds,
      };
    },
    /** A code that is unknown, over or spent is not told apart. */
    async createDeviceKey(deviceCode: string): Promise<ApiKey & { key: string }> {
      const now = clock();
      const login = isDeviceCode(deviceCode)
        ? await store.noteDeviceQuestion(hashOf(deviceCode), now)
        : undefined;
      if (!login) throw expired();
      if (login.state === 'denied') throw denied();
      if (login.state === 'approved') return spend(login);
      const sinceMs = login.askedAt ? now.getTime() - login.askedAt.getTime() : undefined;
      if (sinceMs !== undefined && sinceMs < devicePollSeconds * 1000 - earlyMs) throw slowDown();
      throw pending();
    },
    async getDeviceLogin(identity: Identity, userCode: string): Promise<DeviceLogin> {
      return toDeviceLogin(await waitingUnder(identity, plainCode(userCode)));
    },
    /**
     * A key makes keys where it may do so anyway, and so does a session that it began: what a lost
     * key gave would stay when it is revoked. A member who signed in by a link has no other way.
     */
    async approveDeviceLogin(identity: Identity, userCode: string): Promise<DeviceLogin> {
      if (identity.apiKeyId !== null && identity.role !== 'admin')
        throw new Failure(
          'FORBIDDEN',
          "A member's key gives no other keys: sign in to the console by a link, or ask an admin.",
        );
      return answer(identity, userCode, 'approved');
    },
    denyDeviceLogin: (identity: Identity, userCode: string): Promise<DeviceLogin> =>
      answer(identity, userCode, 'denied'),
    deleteDeviceLogin: (identity: Identity) =>
      store.transaction(async () => {
        const { organizationId, apiKeyId } = identity;
        const key = apiKeyId === null ? undefined : await store.findKeyOf(organizationId, apiKeyId);
        if (!key?.isOfDevice)
          throw new Failure(
            'NOT_FOUND',
            'No device login gave the key of this request: an admin revokes it in the console.',
          );
        const { id, createdByUserId: userId, keyHash } = key;
        await store.deleteKey(organizationId, id);
        await store.deleteBrowserSessionsOf(organizationId, { userId, apiKeyId: id });
        await store.deleteLinksBy(organizationId, { userId, apiKeyId: id });
        await announce.keyRevoked(identity, { keyHash, apiKeyId: id });
        return { success: true as const };
      }),
  };
}

const after = (now: Date, seconds: number): Date => new Date(now.getTime() + seconds * 1000);

const newUserCode = (): string =>
  Array.from({ length: 8 }, () => userCodeLetters[randomInt(userCodeLetters.length)]).join('');

/** The code as it is kept: what people type has small letters, and no hyphen or one. */
const plainCode = (text: string): string => text.replace('-', '').toUpperCase();

const shownCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

const toDeviceLogin = ({
  userCode,
  clientName,
  clientAddress,
  state,
  createdAt,
  expiresAt,
}: Omit<StoredDeviceLogin, 'deviceCodeHash' | 'clientNetwork'>): DeviceLogin => ({
  userCode: shownCode(userCode),
  clientName,
  clientAddress,
  state,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});

const nothingWaits = (userCode: string): Failure =>
  new Failure(
    'NOT_FOUND',
    'No login waits under this code: it is mistyped, answered, or older than 10 minutes. Begin the login again.',
    { details: { resource: 'device login', id: shownCode(userCode) } },
  );

const pending = (): Failure =>
  new Failure('AUTHORIZATION_PENDING', 'Nobody has approved this login yet: ask again.', {
    retryAfterSeconds: devicePollSeconds,
  });

const slowDown = (): Failure =>
  new Failure('SLOW_DOWN', 'This was asked too soon: wait 5 seconds longer from now on.', {
    retryAfterSeconds: devicePollSeconds,
  });

const denied = (): Failure =>
  new Failure(
    'ACCESS_DENIED',
    'The login was denied, or whoever approved it may not do so any more.',
  );

const expired = (): Failure =>
  new Failure(
    'EXPIRED_TOKEN',
    'This login is finished, has expired or never was one: begin another. Each is approved within 10 minutes, and gives one key.',
  );
