import type { Database } from '@assay/runtime/mongo/database';
import type { RecordDocument } from './record.ts';
import { errorIndex, outcomeBounds, outcomeIndex, testcaseIndex } from './record-conditions.ts';

/** The records of a run, or some of them. */
export interface MeantRecords {
  runId: string;
  recordIds?: string[] | undefined;
}

/** What a run's records cover: testcases, scores and errors, each read from an index. */
export function createCoverageStore(database: Database) {
  const records = database.collection<RecordDocument>('records');

  return {
    /** How many of these testcases have a record in the run. */
    async countTestcases(
      organizationId: string,
      runId: string,
      testcaseIds: string[],
    ): Promise<number> {
      const [found] = await records
        .aggregate<{ count: number }>(
          [
            { $match: { organizationId, runId, testcaseId: { $gt: '', $in: testcaseIds } } },
            { $group: { _id: '$testcaseId' } },
            { $count: 'count' },
          ],
          { hint: testcaseIndex },
        )
        .toArray();
      return found?.count ?? 0;
    },
    /** The testcases that a run has records of, oldest first, `limit` at most. */
    async listTestcases(organizationId: string, runId: string, limit: number): Promise<string[]> {
      const found = await records
        .aggregate<{ _id: string }>(
          [
            { $match: { organizationId, runId, testcaseId: { $gt: '' } } },
            { $group: { _id: '$testcaseId' } },
            { $sort: { _id: 1 } },
            { $limit: limit },
          ],
          { hint: testcaseIndex },
        )
        .toArray();
      return found.map(({ _id }) => _id);
    },
    /** How many of these records have an error. */
    countErrors: (organizationId: string, meant: MeantRecords): Promise<number> =>
      records.countDocuments(
        { organizationId, ...conditionOf(meant), hasError: true },
        { hint: errorIndex },
      ),
    /** How many of these records, but for those with an error, people have scored by a metric version. */
    countGivenByPeople: (
      organizationId: string,
      { metricVersionId, ...meant }: MeantRecords & { metricVersionId: string },
    ): Promise<number> =>
      records.countDocuments(
        {
          organizationId,
          ...conditionOf(meant),
          'scores.source': 'human',
          scores: { $elemMatch: { metricVersionId, source: 'human' } },
          hasError: { $exists: false },
        },
        { hint: { organizationId: 1, runId: 1, 'scores.source': 1 } },
      ),
    /** How many of these records wait for no score of a metric version any more, whosoever gave it. */
    countGiven: (
      organizationId: string,
      { metricVersionId, ...meant }: MeantRecords & { metricVersionId: string },
    ): Promise<number> =>
      records.countDocuments(
        {
          organizationId,
          ...conditionOf(meant),
          ...outcomeBounds(metricVersionId, { $nin: ['awaited', 'errored'] }),
          hasError: { $exists: false },
        },
        { hint: outcomeIndex },
      ),
    /** Whether a record of the run has a value of one of these metric versions. */
    async hasValue(
      organizationId: string,
      runId: string,
      metricVersionIds: string[],
    ): Promise<boolean> {
      for (const metricVersionId of metricVersionIds) {
        const outcome = { $type: ['bool' as const, 'number' as const] };
        const found = await records.findOne(
          {
            organizationId,
            runId,
            outcomes: { $exists: true, $elemMatch: { metricVersionId, outcome } },
          },
          { projection: { _id: 1 }, hint: outcomeIndex },
        );
        if (found) return true;
      }
      return false;
    },
  };
}

const conditionOf = ({ runId, recordIds }: MeantRecords) => ({
  runId,
  ...(recordIds ? { _id: { $in: recordIds } } : {}),
});
