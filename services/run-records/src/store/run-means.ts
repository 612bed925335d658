import type { Database } from '@assay/runtime/mongo/database';
import type { Document, Filter } from 'mongodb';

/** The mean of one metric in a run. */
export interface MeanDocument {
  _id: string;
  organizationId: string;
  projectId: string;
  runId: string;
  metricId: string;
  createdAt: Date;
  mean: number;
}

/** The runs of a project that have a mean of a metric, between these bounds. */
export interface MeanList {
  projectId: string;
  metricId: string;
  min?: number | undefined;
  max?: number | undefined;
  /** Made then or later, and before. */
  from?: Date | undefined;
  to?: Date | undefined;
  direction: 'asc' | 'desc';
  page: { limit: number; after: string | undefined };
}

export interface RunMean {
  runId: string;
  mean: number;
}

/** Lists runs in the order of the means of a metric. */
export function createRunMeans(database: Database) {
  const means = database.collection<MeanDocument>('run_means');
  return {
    /** The text of the cursor that goes on behind a run. */
    positionOf: ({ runId, mean }: RunMean): string => `${JSON.stringify(mean)}/${runId}`,

    async list(organizationId: string, list: MeanList): Promise<RunMean[]> {
      const { projectId, metricId, min, max, from, to, direction, page } = list;
      const sign = direction === 'asc' ? 1 : -1;
      const range = {
        ...(min === undefined ? {} : { $gte: min }),
        ...(max === undefined ? {} : { $lte: max }),
      };
      const made = {
        ...(from === undefined ? {} : { $gte: from }),
        ...(to === undefined ? {} : { $lt: to }),
      };
      const found: RunMean[] = [];
      for (const { mean, ...behind } of stretchesOf(list)) {
        const bounds = { ...range, ...mean };
        const condition: Document = {
          organizationId,
          projectId,
          metricId,
          ...(Object.keys(bounds).length > 0 ? { mean: bounds } : {}),
          ...(Object.keys(made).length > 0 ? { createdAt: made } : {}),
          ...behind,
        };
        found.push(
          ...(await means
            .find(condition as Filter<MeanDocument>, { projection: { _id: 0, runId: 1, mean: 1 } })
            .sort({ mean: sign, runId: sign })
            .limit(page.limit - found.length)
            .toArray()),
        );
        if (found.length === page.limit) break;
      }
      return found;
    },

    /** The means of a metric in these runs, by their ids. */
    async find(
      organizationId: string,
      { runIds, metricId }: { runIds: string[]; metricId: string },
    ): Promise<Map<string, number>> {
      const found = await means
        .find({ organizationId, _id: { $in: runIds.map((id) => `${id}/${metricId}`) } })
        .toArray();
      return new Map(found.map(({ runId, mean }) => [runId, mean]));
    },
  };
}

/** Runs of equal means are in the order of their ids: the rest of a cursor's mean comes first. */
function stretchesOf({
  direction,
  page: { after },
}: MeanList): { mean?: Document; runId?: Document }[] {
  if (after === undefined) return [{}];
  const slash = after.indexOf('/');
  const mean = JSON.parse(after.slice(0, slash)) as number;
  const behind = direction === 'asc' ? '$gt' : '$lt';
  return [
    { mean: { $eq: mean }, runId: { [behind]: after.slice(slash + 1) } },
    { mean: { [behind]: mean } },
  ];
}
