import type { Role } from '@assay/contracts/identity';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';

export interface AskedDeviceLogin {
  /** The device's code is a secret: its hash alone is kept. */
  deviceCodeHash: string;
  userCode: string;
  clientName: string;
  clientAddress: string;
  /** Its /64 for IPv6: one client. */
  clientNetwork: string;
  createdAt: Date;
  expiresAt: Date;
  /** When the device asked last for its key. */
  askedAt: Date | null;
}

/** A login that nobody has answered belongs to no organization. */
export interface WaitingDeviceLogin extends AskedDeviceLogin {
  state: 'waiting';
}

/** The answer of a member. */
export interface GivenAnswer {
  state: 'approved' | 'denied';
  userId: string;
  /** The key that the member acted with, or null in a session without one. */
  apiKeyId: string | null;
  role: Role;
}

export interface AnsweredDeviceLogin extends AskedDeviceLogin, GivenAnswer {
  organizationId: string;
}

export type StoredDeviceLogin = WaitingDeviceLogin | AnsweredDeviceLogin;

type DeviceLoginDocument = { _id: string } & (
  | Omit<WaitingDeviceLogin, 'deviceCodeHash'>
  | Omit<AnsweredDeviceLogin, 'deviceCodeHash'>
);

interface CodeAttemptsDocument {
  /** The organization, then the member. */
  _id: string;
  count: number;
  expiresAt: Date;
}

/** Logins of devices, and the codes that members tried. */
export function createDeviceLogins(database: Database) {
  const logins = database.collection<DeviceLoginDocument>('deviceLogins');
  const attempts = database.collection<CodeAttemptsDocument>('deviceCodeAttempts');
  return {
    /** False when the user code is taken. */
    async createDeviceLogin({ deviceCodeHash, ...login }: WaitingDeviceLogin): Promise<boolean> {
      try {
        await logins.insertOne({ _id: deviceCodeHash, ...login });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    /** Across organizations, as the four below: nobody has answered yet. */
    async countDeviceLogins(
      clientNetwork: string,
    ): Promise<{ fromNetwork: number; together: number }> {
      const [fromNetwork, together] = await Promise.all([
        logins.countDocuments({ clientNetwork }),
        logins.estimatedDocumentCount(),
      ]);
      return { fromNetwork, together };
    },
    /** Deletes the oldest login about which its device never asked; false where each one did. */
    async deleteForgottenDeviceLogin(of: { clientNetwork?: string }): Promise<boolean> {
      const forgotten = { ...of, askedAt: null, state: 'waiting' as const };
      const deleted = await logins.findOneAndDelete(forgotten, { sort: { createdAt: 1 } });
      return deleted !== null;
    },
    /** Returns the login that waits under a user code. */
    async findDeviceLogin(userCode: string, now: Date): Promise<StoredDeviceLogin | undefined> {
      return toStored(
        await logins.findOne({ userCode, state: 'waiting', expiresAt: { $gt: now } }),
      );
    },
    /** Notes that the device asked, and returns its login as it was before. */
    async noteDeviceQuestion(
      deviceCodeHash: string,
      now: Date,
    ): Promise<StoredDeviceLogin | undefined> {
      return toStored(
        await logins.findOneAndUpdate(
          { _id: deviceCodeHash, expiresAt: { $gt: now } },
          { $set: { askedAt: now } },
          { returnDocument: 'before' },
        ),
      );
    },
    /** Makes a waiting login the organization's; false where none waits any more. */
    async answerDeviceLogin(
      organizationId: string,
      { userCode, now, given }: { userCode: string; now: Date; given: GivenAnswer },
    ): Promise<boolean> {
      const { modifiedCount } = await logins.updateOne(
        { userCode, state: 'waiting', expiresAt: { $gt: now } },
        { $set: { organizationId, ...given } },
      );
      return modifiedCount === 1;
    },
    /** False where it was deleted before. */
    async deleteDeviceLogin(organizationId: string, deviceCodeHash: string): Promise<boolean> {
      const { deletedCount } = await logins.deleteOne({ _id: deviceCodeHash, organizationId });
      return deletedCount === 1;
    },
    /** Counts a user code that a member tries, and returns how many there were until now. */
    async countCodeAttempt(
      organizationId: string,
      { userId, now, forgottenAt }: { userId: string; now: Date; forgottenAt: Date },
    ): Promise<number> {
      // MongoDB deletes what is over about once a minute: until then it is begun anew here.
      const isCounted = { $gt: ['$expiresAt', now] };
      const counted = await attempts.findOneAndUpdate(
        { _id: attemptsOf(organizationId, userId) },
        [
          {
            $set: {
              count: { $cond: [isCounted, { $add: ['$count', 1] }, 1] },
              expiresAt: { $cond: [isCounted, '$expiresAt', forgottenAt] },
            },
          },
        ],
        { upsert: true, returnDocument: 'after' },
      );
      return counted!.count;
    },
    /** Takes one attempt back: the code was right. */
    async forgetCodeAttempt(organizationId: string, userId: string): Promise<void> {
      await attempts.updateOne(
        { _id: attemptsOf(organizationId, userId) },
        { $inc: { count: -1 } },
      );
    },
  };
}

/** Finds the counts of an organization's members. */
export const attemptsOfOrganization = (organizationId: string) => ({
  _id: { $gte: `${organizationId} `, $lt: `${organizationId}!` },
});

/** The id of the count of a member's attempts. */
export const attemptsOf = (organizationId: string, userId: string): string =>
  `${organizationId} ${userId}`;

function toStored(document: DeviceLoginDocument | null): StoredDeviceLogin | undefined {
  if (!document) return undefined;
  const { _id, ...login } = document;
  return { deviceCodeHash: _id, ...login };
}
