import { rememberedRepliesWith } from '@assay/runtime/http/idempotency';
import type { Database } from '@assay/runtime/mongo/database';
import { attemptsOf } from './device-logins.ts';

/** A collection that has something of a person, and how much went or is there. */
export interface PersonPlace {
  place: string;
  count: number;
}

/** What identity keeps of a person, wherever it is. */
export function createPeople(database: Database) {
  function placesOf(
    organizationId: string,
    userId: string,
  ): Record<string, Record<string, unknown>> {
    const ofUser = { organizationId, userId };
    return {
      members: { _id: userId, organizationId },
      apiKeys: { organizationId, createdByUserId: userId },
      browserSessions: ofUser,
      loginTokens: { organizationId, $or: [{ userId }, { 'madeBy.userId': userId }] },
      invitations: { organizationId, $or: [{ _id: userId }, { 'madeBy.userId': userId }] },
      deviceLogins: ofUser,
      // Also the author of a file whom an admin found to be this person.
      importedPeople: { organizationId, $or: [{ _id: userId }, { 'mapping.toUserId': userId }] },
      deviceCodeAttempts: { _id: attemptsOf(organizationId, userId) },
      // Replies that are remembered for a day have the name and the address.
      idempotency: rememberedRepliesWith(organizationId, userId),
    };
  }

  return {
    countPerson: (organizationId: string, userId: string): Promise<PersonPlace[]> =>
      Promise.all(
        Object.entries(placesOf(organizationId, userId)).map(async ([place, filter]) => ({
          place,
          count: await database.collection(place).countDocuments(filter),
        })),
      ),
    /** Returns how much went. */
    async erasePerson(organizationId: string, userId: string): Promise<PersonPlace[]> {
      const erased: PersonPlace[] = [];
      // One after the other: a transaction has one call under way.
      for (const [place, filter] of Object.entries(placesOf(organizationId, userId)))
        erased.push({
          place,
          count: (await database.collection(place).deleteMany(filter)).deletedCount,
        });
      return erased;
    },
  };
}
