import type { Database } from '@assay/runtime/mongo/database';
import { organizationsWith } from '@assay/runtime/mongo/organizations-with';
import type { RecordDocument } from './record.ts';
import { type ExpiredRun, type RunDocument, type StoredRun, toRun } from './runs.ts';

/** Annotations that are looked through at once for one with a comment. */
const annotatedAtOnce = 1000;

/** The steps of a run to its expiry, and the looks before them. */
export function createExpiryStore(database: Database) {
  const runs = database.collection<RunDocument>('runs');
  const records = database.collection<RecordDocument>('records');
  const annotations = database.collection<{ organizationId: string; recordId: string }>(
    'annotations',
  );
  const draws = database.collection<{ organizationId: string }>('label_draws');
  const isWhole = { deletedAt: { $exists: false }, expired: { $exists: false } };
  const isClearing = { isClearing: true as const, deletedAt: { $exists: false } };

  async function hasComment(organizationId: string, runId: string): Promise<boolean> {
    for (let after = ''; ; ) {
      const some = await records
        .find(
          { organizationId, runId, hasAnnotations: true, _id: { $gt: after } },
          { projection: { _id: 1 } },
        )
        .sort({ _id: 1 })
        .limit(annotatedAtOnce)
        .toArray();
      const ids = some.map(({ _id }) => _id);
      const found = await annotations.findOne(
        { organizationId, recordId: { $in: ids }, comment: { $gt: '' } },
        { projection: { _id: 1 } },
      );
      if (found) return true;
      if (ids.length < annotatedAtOnce) return false;
      after = ids.at(-1)!;
    }
  }

  const hasRecord = async (organizationId: string, runId: string, filter: object) =>
    (await records.findOne({ organizationId, runId, ...filter }, { projection: { _id: 1 } })) !==
    null;

  return {
    /** The oldest runs of a project that were made before then, after a run. */
    async listMadeBefore(
      organizationId: string,
      {
        projectId,
        before,
        after,
        limit,
      }: { projectId: string; before: Date; after: string; limit: number },
    ): Promise<StoredRun[]> {
      const found = await runs
        .find({
          organizationId,
          projectId,
          _id: { $gt: after },
          createdAt: { $lt: before },
          ...isWhole,
        })
        .sort({ _id: 1 })
        .limit(limit)
        .toArray();
      return found.map(toRun);
    },

    /** When the newest record of a run was made; undefined without records. */
    async newestRecordAt(organizationId: string, runId: string): Promise<Date | undefined> {
      const newest = await records.findOne(
        { organizationId, runId },
        { sort: { _id: -1 }, projection: { createdAt: 1 } },
      );
      return newest?.createdAt;
    },

    /** The runs with which runs of a project that are not decided yet compare themselves. */
    async comparedRunIds(organizationId: string, projectId: string): Promise<string[]> {
      return runs.distinct('stopping.compareWith', {
        organizationId,
        projectId,
        stopping: { $exists: true },
        'stopping.decision': { $exists: false },
        ...isWhole,
      });
    },

    /** Has a person scored a record of the run, put a tag on it, or was one drawn for people? */
    async isLabelled(organizationId: string, runId: string): Promise<boolean> {
      if (await hasRecord(organizationId, runId, { 'scores.source': 'human' })) return true;
      for (const side of ['baselineRunId', 'candidateRunId'])
        if (await draws.findOne({ organizationId, [side]: runId })) return true;
      // A tag that came with the record is as old as the record.
      const later = {
        $map: {
          input: { $ifNull: ['$tags', []] },
          in: { $gt: ['$$this.createdAt', '$createdAt'] },
        },
      };
      return hasRecord(organizationId, runId, {
        tags: { $exists: true },
        $expr: { $anyElementTrue: [later] },
      });
    },
    hasComment,
    hasAnnotation: (organizationId: string, runId: string) =>
      hasRecord(organizationId, runId, { hasAnnotations: true }),
    hasLink: (organizationId: string, runId: string) =>
      hasRecord(organizationId, runId, { otelLinkId: { $exists: true } }),

    /** Begins to close a run, unless that was begun. */
    async close(organizationId: string, id: string, closingAt: Date): Promise<void> {
      await runs.updateOne(
        { _id: id, organizationId, closingAt: { $exists: false }, ...isWhole },
        { $set: { closingAt } },
      );
    },
    /** The runs of an organization that have been closing since before then. */
    async listClosing(organizationId: string, before: Date, limit: number): Promise<StoredRun[]> {
      const found = await runs
        .find({ organizationId, closingAt: { $lt: before }, ...isWhole })
        .limit(limit)
        .toArray();
      return found.map(toRun);
    },
    /**
     * Makes a run an expired one. False when it was used since it was read: whoever uses a run that
     * is closing opens it first.
     */
    async expire(
      organizationId: string,
      { id, closingAt }: StoredRun,
      expired: ExpiredRun,
    ): Promise<boolean> {
      const { modifiedCount } = await runs.updateOne(
        { _id: id, organizationId, closingAt: closingAt!, ...isWhole },
        {
          $set: { expired, isClearing: true },
          $unset: { closingAt: '', lookAt: '' },
        },
      );
      return modifiedCount === 1;
    },

    /** An expired run whose records are still to be removed. */
    async findClearing(organizationId: string): Promise<string | undefined> {
      const found = await runs.findOne(
        { organizationId, ...isClearing },
        { projection: { _id: 1 } },
      );
      return found?._id;
    },
    async endClearing(organizationId: string, id: string): Promise<void> {
      await runs.updateOne({ _id: id, organizationId }, { $unset: { isClearing: '' } });
    },

    /** The organizations that have runs. */
    organizations: (): Promise<string[]> => organizationsWith(runs, {}),
  };
}
