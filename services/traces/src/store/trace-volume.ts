import type { Database } from '@assay/runtime/mongo/database';
import { isTooSlow } from '@assay/runtime/mongo/errors';
import type { Filter } from 'mongodb';
import type { HeadDocument } from './head.ts';
import { conditionOf, type HeadFilter } from './head-filter.ts';

export interface TraceCount {
  traces: number;
  /** Of these, how many have an error. */
  errors: number;
}

/** Counts traces. Without other filters than the time, no trace is read: only entries of indexes. */
export function createTraceVolume(database: Database) {
  const heads = database.collection<HeadDocument>('traces');

  async function countOf(filter: Filter<HeadDocument>, maxMs: number): Promise<number | undefined> {
    try {
      return await heads.countDocuments(filter, { maxTimeMS: Math.max(1, Math.ceil(maxMs)) });
    } catch (error) {
      if (isTooSlow(error)) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Returns when each trace began, and whether it has an error; undefined where there are more
     * than `limit`, or where reading takes longer than `maxMs`.
     */
    async findFew(
      organizationId: string,
      projectId: string,
      filter: HeadFilter,
      { limit, maxMs }: { limit: number; maxMs: number },
    ): Promise<{ startedAt: number; hasError: boolean }[] | undefined> {
      try {
        const found = await heads
          .find(
            { organizationId, projectId, ...conditionOf(filter) },
            { projection: { startedAt: 1, numErrors: 1 }, limit: limit + 1, maxTimeMS: maxMs },
          )
          .toArray();
        if (found.length > limit) return undefined;
        return found.map(({ startedAt, numErrors }) => ({ startedAt, hasError: numErrors > 0 }));
      } catch (error) {
        if (isTooSlow(error)) return undefined;
        throw error;
      }
    },

    /** Returns undefined where counting takes longer than `maxMs`. */
    async count(
      organizationId: string,
      projectId: string,
      filter: HeadFilter,
      maxMs: number,
    ): Promise<TraceCount | undefined> {
      const ofProject = { organizationId, projectId };
      const { hasErrors } = filter;
      const [traces, errors] = await Promise.all([
        countOf({ ...ofProject, ...conditionOf(filter) }, maxMs),
        hasErrors === undefined
          ? countOf({ ...ofProject, ...conditionOf({ ...filter, hasErrors: true }) }, maxMs)
          : 0,
      ]);
      if (traces === undefined || errors === undefined) return undefined;
      return { traces, errors: hasErrors ? traces : errors };
    },
  };
}
