import type { Answers } from '@assay/contracts/define';
import type { Erasure, Place } from '@assay/contracts/erasure';
import type { Document, Filter } from 'mongodb';
import type { OrganizationMessages } from '../bus/organization-messages.ts';
import type { Database } from './database.ts';

/**
 * Whose a collection's documents are: of the organization that their `organizationId` names, of
 * nobody, or of the one that a filter finds.
 */
export type Ownership =
  | 'organizationId'
  | 'nobody'
  | ((organizationId: string) => Record<string, unknown>);

/** Every collection of a service, with whose its documents are. */
export type Ownerships = Readonly<Record<string, Ownership>>;

/** A service's data of an organization outside of its database. */
export interface OrganizationFolder {
  /** Shown to the operator. */
  place: string;
  count(organizationId: string): Promise<number>;
  erase(organizationId: string): Promise<void>;
}

/** The collections that every service with a database has besides its own. */
const standardOwnerships: Ownerships = {
  migrations: 'nobody',
  idempotency: 'organizationId',
  outbox: (organizationId) => ({ 'identity.organizationId': organizationId }),
};

/** One answer does so much, and the next one goes on. */
const erasedMs = 5000;
const batch = 2000;

/**
 * Erases an organization from a service: its documents, its folders, and the messages that the
 * service has published for it.
 */
export function createErasure({
  database,
  ownerships,
  folders = [],
  messages,
}: {
  database: Database;
  ownerships: Ownerships;
  folders?: OrganizationFolder[] | undefined;
  messages: OrganizationMessages;
}): Answers<Erasure> {
  const all: Ownerships = { ...standardOwnerships, ...ownerships };

  /**
   * Returns the collections that there are, with the filter of the organization's documents.
   * @throws for one whose documents are nobody knows whose: an erasure would miss them.
   */
  async function collectionsOf(
    organizationId: string,
  ): Promise<{ name: string; filter: Filter<Document> }[]> {
    const names = await database.collectionNames();
    const unknown = names.filter((name) => !Object.hasOwn(all, name));
    if (unknown.length > 0)
      throw new Error(`it is not declared whose the documents of ${unknown.join(', ')} are`);
    return names.flatMap((name) => {
      const ownership = all[name]!;
      if (ownership === 'nobody') return [];
      const filter =
        ownership === 'organizationId' ? { organizationId } : ownership(organizationId);
      return [{ name, filter }];
    });
  }

  /** Deletes documents in batches, and says whether all are gone. */
  async function eraseDocuments(organizationId: string, until: number): Promise<boolean> {
    for (const { name, filter } of await collectionsOf(organizationId)) {
      const collection = database.collection<Document>(name);
      for (;;) {
        if (performance.now() > until) return false;
        const found = await collection
          .find(filter, { projection: { _id: 1 }, limit: batch })
          .toArray();
        if (found.length === 0) break;
        await collection.deleteMany({ _id: { $in: found.map(({ _id }) => _id) } });
      }
    }
    return true;
  }

  async function countDocuments(organizationId: string): Promise<Place[]> {
    const places: Place[] = [];
    for (const { name, filter } of await collectionsOf(organizationId))
      places.push({ place: name, count: await database.collection(name).countDocuments(filter) });
    return places;
  }

  return {
    eraseOrganization: async ({ organizationId }) => {
      const isDone = await eraseDocuments(organizationId, performance.now() + erasedMs);
      // After the documents: nothing waits in the outbox to be published any more.
      if (isDone) {
        for (const folder of folders) await folder.erase(organizationId);
        await messages.erase(organizationId);
      }
      return { isDone };
    },
    countOrganization: async ({ organizationId }) => {
      const places = await countDocuments(organizationId);
      for (const { place, count } of folders)
        places.push({ place, count: await count(organizationId) });
      places.push({ place: 'messages', count: await messages.count(organizationId) });
      return { places };
    },
  };
}
