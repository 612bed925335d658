import { instantOf } from '@assay/runtime/ids';
import type { Database } from '@assay/runtime/mongo/database';
import { currentVersion, type DeletedTestcaseDocument, type TestcaseDocument } from './testcase.ts';
import { type VersionDocument, versionId } from './versions.ts';

/** The place of an event: events of one instant are in the order of their testcases. */
export interface EventKey {
  at: number;
  testcaseId: string;
}

/** A testcase was created, updated, deleted or restored. */
export interface ChangeEvent extends EventKey {
  /** Undefined for a creation: nobody keeps who made a testcase. */
  userId: string | undefined;
}

/** Data that a testcase had for some time. */
export interface TestcaseState {
  version: number;
  from: Date;
  /** Undefined where the testcase has it still. */
  to: Date | undefined;
}

/** Everything that is kept of the times of a testcase. */
export interface TestcaseHistory {
  createdAt: Date;
  states: TestcaseState[];
  /** When something happened to it, its creation aside. */
  changedAt: Date[];
}

/** Events in a time: from `since` on, before `before`. */
export interface EventWindow {
  since: number;
  before: EventKey;
  limit: number;
}

/** Reads the events of the testcases of a testset, newest first. */
export function createChangeStore(database: Database) {
  const testcases = database.collection<TestcaseDocument>('testcases');
  const deletedTestcases = database.collection<DeletedTestcaseDocument>('testcases');
  const anyTestcases = database.collection<TestcaseDocument & Partial<DeletedTestcaseDocument>>(
    'testcases',
  );
  const versions = database.collection<VersionDocument>('testcaseVersions');

  /** Testcases that were made in the time: their ids say when. */
  async function creations(filter: object, { since, before, limit }: EventWindow) {
    const found = await testcases
      .find(
        { ...filter, _id: { $gte: idsFrom(since), $lt: idBefore(before) } },
        { projection: { _id: 1 } },
      )
      .sort({ _id: -1 })
      .limit(limit)
      .toArray();
    return found.map(
      ({ _id }): ChangeEvent => ({
        at: instantOf(_id).getTime(),
        testcaseId: _id,
        userId: undefined,
      }),
    );
  }

  /** Reads the events of the last instant first: thousands may have one in common. */
  async function inTwo<Event>(
    { since, before, limit }: EventWindow,
    read: (range: { at: object; id?: object; limit: number }) => Promise<Event[]>,
  ): Promise<Event[]> {
    const id = { $lt: before.testcaseId };
    const sameInstant =
      before.at < since ? [] : await read({ at: { $eq: new Date(before.at) }, id, limit });
    if (sameInstant.length === limit) return sameInstant;
    const at = { $gte: new Date(since), $lt: new Date(before.at) };
    return [...sameInstant, ...(await read({ at, limit: limit - sameInstant.length }))];
  }

  const changes = (organizationId: string, testsetId: string, window: EventWindow) =>
    inTwo(window, async ({ at, id, limit }) => {
      const found = await versions
        .find(
          { organizationId, testsetId, at, ...(id ? { testcaseId: id } : {}) },
          { projection: { _id: 0, at: 1, testcaseId: 1, userId: 1 } },
        )
        .sort({ at: -1, testcaseId: -1 })
        .limit(limit)
        .toArray();
      return found.map(
        ({ at, testcaseId, userId }): ChangeEvent => ({ at: at.getTime(), testcaseId, userId }),
      );
    });

  const deletions = (organizationId: string, testsetId: string, window: EventWindow) =>
    inTwo(window, async ({ at, id, limit }) => {
      const found = await deletedTestcases
        .find(
          {
            organizationId,
            'deleted.testsetId': testsetId,
            'deleted.at': at,
            ...(id ? { _id: id } : {}),
          } as object,
          { projection: { 'deleted.at': 1, 'deleted.userId': 1 } },
        )
        .sort({ 'deleted.at': -1, _id: -1 })
        .limit(limit)
        .toArray();
      return found.map(
        ({ _id, deleted: { at, userId } }): ChangeEvent => ({
          at: at.getTime(),
          testcaseId: _id,
          userId,
        }),
      );
    });

  return {
    /** Lists the events of the testcases of a testset, newest first. */
    async listEvents(
      organizationId: string,
      testsetId: string,
      window: EventWindow,
    ): Promise<ChangeEvent[]> {
      const found = await Promise.all([
        creations({ organizationId, testsetId }, window),
        creations({ organizationId, 'deleted.testsetId': testsetId }, window),
        changes(organizationId, testsetId, window),
        deletions(organizationId, testsetId, window),
      ]);
      return found.flat().sort(newestFirst).slice(0, window.limit);
    },

    /** Reads the times of testcases, deleted or not; their data stays unread. */
    async historiesOf(
      organizationId: string,
      ids: string[],
    ): Promise<Map<string, TestcaseHistory>> {
      const [current, kept] = await Promise.all([
        anyTestcases
          .find(
            { _id: { $in: ids }, organizationId },
            { projection: { changes: 1, since: 1, 'deleted.at': 1 } },
          )
          .toArray(),
        versions
          .find(
            { organizationId, testcaseId: { $in: ids } },
            { projection: { _id: 0, testcaseId: 1, version: 1, change: 1, since: 1, at: 1 } },
          )
          .sort({ testcaseId: 1, version: 1 })
          .toArray(),
      ]);
      const histories = new Map<string, TestcaseHistory>(
        ids.map((id) => [id, { createdAt: instantOf(id), states: [], changedAt: [] }]),
      );
      for (const { testcaseId, version, change, since, at } of kept) {
        const { createdAt, states, changedAt } = histories.get(testcaseId)!;
        changedAt.push(at);
        if (change !== 'restored') states.push({ version, from: since ?? createdAt, to: at });
      }
      for (const document of current) {
        const { createdAt, states, changedAt } = histories.get(document._id)!;
        const deletedAt = document.deleted?.at;
        if (deletedAt) changedAt.push(deletedAt);
        const version = currentVersion(document);
        states.push({ version, from: document.since ?? createdAt, to: deletedAt });
      }
      return histories;
    },

    /** Reads the data of a state, and the key beside it; undefined where it went since. */
    async dataOf(
      organizationId: string,
      testcaseId: string,
      { version }: TestcaseState,
    ): Promise<{ jsonData: Buffer; key: string | undefined } | undefined> {
      const kept = await versions.findOne({ _id: versionId(testcaseId, version), organizationId });
      if (kept?.jsonData) return { jsonData: kept.jsonData, key: kept.key };
      const last = await anyTestcases.findOne({ _id: testcaseId, organizationId });
      if (!last || currentVersion(last) !== version) return undefined;
      return { jsonData: last.jsonData, key: last.deleted ? last.deleted.key : last.key };
    },
  };
}

const newestFirst = (one: EventKey, other: EventKey): number =>
  other.at - one.at || (one.testcaseId < other.testcaseId ? 1 : -1);

/** The least text that ids of this instant, or later ones, may have. */
function idsFrom(at: number): string {
  const time = Math.max(0, at).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}`;
}

/** The ids of the creations before an event are less than this. */
function idBefore({ at, testcaseId }: EventKey): string {
  const [first, end] = [idsFrom(at), idsFrom(at + 1)];
  if (testcaseId < first) return first;
  return testcaseId < end ? testcaseId : end;
}
