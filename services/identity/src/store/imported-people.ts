import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import { findPage } from '@assay/runtime/mongo/page';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';

/** Somebody whom a file names as an author and who is no member. */
export interface StoredImportedPerson {
  userId: string;
  projectId: string;
  email: string | null;
  name: string | null;
  createdAt: Date;
  /** Where an admin has mapped them to a member. */
  mapping?: StoredMapping;
}

export interface StoredMapping {
  toUserId: string;
  byUserId: string;
  at: Date;
}

/** How far it has come that a member is given a person's work. */
export interface MoveProgress {
  /** The services that are done. */
  servicesDone: number;
  /** Where the next one goes on. */
  after: string | null;
}

/** A person with a mapping that is under way. */
export type StoredMove = StoredImportedPerson & { mapping: StoredMapping; progress: MoveProgress };

type ImportedPersonDocument = Omit<StoredImportedPerson, 'userId'> & {
  _id: string;
  organizationId: string;
  progress?: MoveProgress;
  /** The lease of the process that moves their work; there while that is under way. */
  heldUntil?: Date;
  /** Since when they are gone; kept with who mapped them. */
  movedAt?: Date;
};

export function createImportedPeopleStore(database: Database) {
  const people = database.collection<ImportedPersonDocument>('importedPeople');
  const projectLock = createProjectLock(database);
  return {
    /** A person who is kept already stays as they are. False if their project was deleted. */
    noteImportedPeople(
      organizationId: string,
      projectId: string,
      noted: Pick<StoredImportedPerson, 'userId' | 'email' | 'name' | 'createdAt'>[],
    ): Promise<boolean> {
      return database.transaction(async () => {
        if (!(await projectLock.enter(organizationId, projectId, projectId))) return false;
        if (noted.length === 0) return true;
        await people.bulkWrite(
          noted.map(({ userId, ...person }) => ({
            updateOne: {
              filter: { _id: userId, organizationId },
              update: { $setOnInsert: { projectId, ...person } },
              upsert: true,
            },
          })),
        );
        return true;
      });
    },
    async findImportedPerson(
      organizationId: string,
      userId: string,
    ): Promise<StoredImportedPerson | undefined> {
      const found = await people.findOne({ _id: userId, organizationId });
      return found ? toPerson(found) : undefined;
    },
    listImportedPeople(
      organizationId: string,
      page: PageRequest,
    ): Promise<Page<StoredImportedPerson>> {
      return findPage(people, {
        filter: { organizationId, movedAt: { $exists: false } },
        page,
        toItem: toPerson,
      });
    },
    /** Those of a deleted project are gone, but for who has mapped whom. */
    async forgetImportedPeople(organizationId: string, projectId: string): Promise<void> {
      await database.transaction(() => projectLock.close(organizationId, projectId));
      await people.deleteMany({ organizationId, projectId, mapping: { $exists: false } });
    },

    async beginMove(organizationId: string, userId: string, mapping: StoredMapping): Promise<void> {
      await people.updateOne(
        { _id: userId, organizationId, mapping: { $exists: false } },
        { $set: { mapping, progress: { servicesDone: 0, after: null }, heldUntil: mapping.at } },
      );
    },
    /** Organizations in which a mapping is under way that no process works on. */
    organizationsWithMoves: (now: Date): Promise<string[]> =>
      organizationsWith(people, { heldUntil: { $lte: now } }),
    /** Takes a mapping that is under way for this process, until its lease ends. */
    async takeMove(
      organizationId: string,
      { now, until }: { now: Date; until: Date },
    ): Promise<StoredMove | undefined> {
      const taken = await people.findOneAndUpdate(
        { organizationId, heldUntil: { $lte: now } },
        { $set: { heldUntil: until } },
        { sort: { heldUntil: 1 }, returnDocument: 'after' },
      );
      if (!taken) return undefined;
      return { ...toPerson(taken), mapping: taken.mapping!, progress: taken.progress! };
    },
    async noteProgress(
      organizationId: string,
      userId: string,
      { progress, heldUntil }: { progress: MoveProgress; heldUntil: Date },
    ): Promise<void> {
      await people.updateOne(
        { _id: userId, organizationId, movedAt: { $exists: false } },
        { $set: { progress, heldUntil } },
      );
    },
    /** All is the member's: the person is gone. */
    async endMove(organizationId: string, userId: string, movedAt: Date): Promise<void> {
      await people.updateOne(
        { _id: userId, organizationId },
        { $set: { movedAt }, $unset: { progress: '', heldUntil: '' } },
      );
    },
  };
}

const toPerson = ({
  _id: userId,
  projectId,
  email,
  name,
  createdAt,
  mapping,
}: ImportedPersonDocument): StoredImportedPerson => ({
  userId,
  projectId,
  email,
  name,
  createdAt,
  ...(mapping ? { mapping } : {}),
});
