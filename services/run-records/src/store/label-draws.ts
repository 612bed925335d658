import type { KeptLabelDraw } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';

type LabelDrawDocument = KeptLabelDraw & { _id: string; organizationId: string };

/** The two runs and the judge that a draw is for. */
type DrawPlace = Pick<KeptLabelDraw, 'baselineRunId' | 'candidateRunId' | 'metricId'>;

const idOf = ({ baselineRunId, candidateRunId, metricId }: DrawPlace): string =>
  `${baselineRunId}/${candidateRunId}/${metricId}`;

/**
 * The testcases that the results service drew for people, a document for each pair of runs and judge.
 */
export function createLabelDrawStore(database: Database) {
  const draws = database.collection<LabelDrawDocument>('label_draws');

  return {
    /** Yields the draws of a judge in which one of these runs is the baseline or the candidate. */
    async *list(
      organizationId: string,
      { runIds, metricId }: { runIds: string[]; metricId: string },
    ): AsyncIterable<KeptLabelDraw> {
      const found = draws.find({
        organizationId,
        metricId,
        $or: [{ baselineRunId: { $in: runIds } }, { candidateRunId: { $in: runIds } }],
      });
      for await (const { _id, organizationId: _organizationId, ...draw } of found) yield draw;
    },

    /** Yields the draws in which a run is the baseline, for an export of its project. */
    async *listOfBaseline(
      organizationId: string,
      baselineRunId: string,
    ): AsyncIterable<KeptLabelDraw> {
      const found = draws.find({ organizationId, baselineRunId }).sort({ _id: 1 });
      for await (const { _id, organizationId: _organizationId, ...draw } of found) yield draw;
    },
    /** Keeps a draw of a project that is being imported; a repeat changes nothing. */
    async restore(organizationId: string, draw: KeptLabelDraw): Promise<void> {
      await draws.replaceOne(
        { _id: idOf(draw), organizationId },
        { organizationId, ...draw },
        { upsert: true },
      );
    },

    /** The version of the draw that is kept; 0 if there is none. */
    async versionOf(organizationId: string, draw: DrawPlace): Promise<number> {
      const found = await draws.findOne(
        { _id: idOf(draw), organizationId },
        { projection: { version: 1 } },
      );
      return found?.version ?? 0;
    },

    /** Keeps a draw if the one before it is kept now: false if another one came first. */
    async keep(organizationId: string, draw: KeptLabelDraw): Promise<boolean> {
      const _id = idOf(draw);
      if (draw.version > 1) {
        const { matchedCount } = await draws.updateOne(
          { _id, organizationId, version: draw.version - 1 },
          { $set: draw },
        );
        return matchedCount === 1;
      }
      try {
        await draws.insertOne({ _id, organizationId, ...draw });
        return true;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        return false;
      }
    },

    /** Deletes the draws of a run that was deleted. */
    async deleteOfRun(organizationId: string, runId: string): Promise<void> {
      await draws.deleteMany({ organizationId, baselineRunId: runId });
      await draws.deleteMany({ organizationId, candidateRunId: runId });
    },
  };
}
