import { createHash } from 'node:crypto';
import type { Database } from '@assay/runtime/mongo/database';
import { endOfOrder } from '../domain/accounts/judge-order.ts';
import type { RecordDocument } from './record.ts';
import type { StoredRun } from './runs.ts';

/** The records of runs that may stop early, in the random order in which judges are asked. */
export function createJudgingStore({
  database,
  sweepAfterMs,
}: {
  database: Database;
  sweepAfterMs: number;
}) {
  const records = database.collection<RecordDocument>('records');
  const hint = { organizationId: 1, runId: 1, judgeOrder: 1, _id: 1 } as const;

  return {
    /** Which of these records judges may be asked about. */
    async findReleased(
      organizationId: string,
      { id: runId, stopping }: StoredRun,
      ids: string[],
    ): Promise<string[]> {
      if (!stopping || stopping.judgedTo === endOfOrder) return ids;
      if (ids.length === 0 || stopping.judgedTo === '') return [];
      const found = await records
        .find(
          {
            _id: { $in: ids },
            organizationId,
            runId,
            judgeOrder: { $lte: stopping.judgedTo },
          },
          { projection: { _id: 1 } },
        )
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Whether records up to a place in the order miss scores of these metric versions. */
    async isMissing(
      organizationId: string,
      { runId, to, metricVersionIds }: { runId: string; to: string; metricVersionIds: string[] },
    ): Promise<boolean> {
      const missing = await records.findOne(
        {
          organizationId,
          runId,
          judgeOrder: { $lte: to },
          pending: { $in: metricVersionIds },
        },
        { projection: { _id: 1 }, hint },
      );
      return missing !== null;
    },

    /** The place of the last of the next records in the order; undefined if there are none. */
    async placeAfter(
      organizationId: string,
      { runId, from, count }: { runId: string; from: string; count: number },
    ): Promise<string | undefined> {
      const next = await records
        .find(
          { organizationId, runId, judgeOrder: { $gt: from } },
          { projection: { judgeOrder: 1 }, hint },
        )
        .sort({ judgeOrder: 1, _id: 1 })
        .limit(count)
        .toArray();
      return next.at(-1)?.judgeOrder;
    },

    /** Has the sweep look soon at the records between two places, and returns their ids. */
    async wake(
      organizationId: string,
      { runId, from, to }: { runId: string; from: string; to: string },
    ): Promise<string[]> {
      const between = { organizationId, runId, judgeOrder: { $gt: from, $lte: to } };
      await records.updateMany(
        { ...between, sweepAt: { $exists: true } },
        { $set: { sweepAt: new Date(Date.now() + sweepAfterMs) } },
        { hint },
      );
      const found = await records
        .find({ ...between, sweepAt: { $exists: true } }, { projection: { _id: 1 }, hint })
        .toArray();
      return found.map(({ _id }) => _id);
    },

    /** Ids of records after a place in the order that miss scores of these metric versions. */
    async listHeld(
      organizationId: string,
      {
        runId,
        from,
        metricVersionIds,
        limit,
      }: { runId: string; from: string; metricVersionIds: string[]; limit: number },
    ): Promise<string[]> {
      const found = await records
        .find(
          {
            organizationId,
            runId,
            judgeOrder: { $gt: from },
            pending: { $in: metricVersionIds },
          },
          { projection: { _id: 1 }, hint },
        )
        .limit(limit)
        .toArray();
      return found.map(({ _id }) => _id);
    },
  };
}

/** Hexadecimal digits of a place in the order: 64 bits. */
const orderDigits = 16;

/**
 * Where a record stands in the order of a run that may stop early: all records of a testcase at the
 * same place, which nobody can choose and nothing else depends on.
 */
export function judgeOrderOf(
  { stopping }: { stopping?: { orderId: string } },
  { id, testcaseId }: { id: string; testcaseId: string | null },
): { judgeOrder?: string } {
  if (!stopping) return {};
  const hash = createHash('sha256').update(`${stopping.orderId}/${testcaseId ?? id}`);
  return { judgeOrder: hash.digest('hex').slice(0, orderDigits) };
}
