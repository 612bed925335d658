import type { RunResults } from '@assay/contracts/results';
import type { Database } from '@assay/runtime/mongo/database';
import type { MeanDocument } from './run-means.ts';
import type { StoredRun } from './runs.ts';

/** The results of a run as they were when it had changed so many times. */
export interface KeptResults {
  /** The number of the run's changes that the results know. */
  changes: number;
  /** The number of metric versions that the run had. */
  metricVersions: number;
  results: RunResults;
}

interface ResultsDocument {
  _id: string;
  organizationId: string;
  projectId: string;
  testsetId: string | null;
  createdAt: Date;
  changes: number;
  metricVersions: number;
  /** As JSON text. */
  results: string;
}

export interface ResultsQuery {
  projectId: string;
  testsetId?: string | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
  /** The run after which the list goes on. */
  before?: { createdAt: Date; runId: string } | undefined;
  limit: number;
}

/** The results of runs, kept beside them: lists, trends and sorts read no records. */
export function createRunResultsStore(database: Database) {
  const documents = database.collection<ResultsDocument>('run_results');
  const means = database.collection<MeanDocument>('run_means');

  /** Keeps the results of a run in place of earlier ones. Those that know more changes stay. */
  async function keep(organizationId: string, run: StoredRun, kept: KeptResults): Promise<void> {
    const { id: runId, projectId, testsetId, createdAt } = run;
    const { changes, metricVersions, results } = kept;
    const newest = meansOf(results);
    await database.transaction(async () => {
      const newer = { _id: runId, organizationId, changes: { $gt: changes } };
      if (await documents.findOne(newer, { projection: { _id: 1 } })) return;
      await documents.replaceOne(
        { _id: runId, organizationId },
        {
          organizationId,
          projectId,
          testsetId,
          createdAt,
          changes,
          metricVersions,
          results: JSON.stringify(results),
        },
        { upsert: true },
      );
      await means.deleteMany({ organizationId, runId });
      if (newest.size > 0)
        await means.insertMany(
          [...newest].map(([metricId, mean]) => ({
            _id: `${runId}/${metricId}`,
            organizationId,
            projectId,
            runId,
            metricId,
            createdAt,
            mean,
          })),
        );
    });
  }

  return {
    async find(
      organizationId: string,
      runIds: readonly string[],
    ): Promise<Map<string, KeptResults>> {
      const found = await documents.find({ organizationId, _id: { $in: [...runIds] } }).toArray();
      return new Map(found.map((document) => [document._id, toKept(document)]));
    },

    /** The results of a project's runs, the newest first. */
    async listOfProject(
      organizationId: string,
      { projectId, testsetId, from, to, before, limit }: ResultsQuery,
    ): Promise<(KeptResults & { runId: string; createdAt: Date })[]> {
      const createdAt = {
        ...(from ? { $gte: from } : {}),
        ...(to ? { $lt: to } : {}),
      };
      const found = await documents
        .find({
          organizationId,
          projectId,
          ...(testsetId === undefined ? {} : { testsetId }),
          ...(from || to ? { createdAt } : {}),
          ...(before
            ? {
                $or: [
                  { createdAt: { $lt: before.createdAt } },
                  { createdAt: before.createdAt, _id: { $lt: before.runId } },
                ],
              }
            : {}),
        })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limit)
        .toArray();
      return found.map((document) => ({
        runId: document._id,
        createdAt: document.createdAt,
        ...toKept(document),
      }));
    },

    keep,

    /** An expired run has its results, and nothing from which they could be read. */
    async keepOfExpired(organizationId: string, run: StoredRun): Promise<void> {
      if (!run.expired) return;
      const { counts, results } = run.expired;
      await keep(organizationId, run, {
        changes: counts.changes,
        metricVersions: run.metrics.length,
        results: JSON.parse(results) as RunResults,
      });
    },

    async deleteOfRun(organizationId: string, runId: string): Promise<void> {
      await means.deleteMany({ organizationId, runId });
      await documents.deleteOne({ _id: runId, organizationId });
    },
  };
}

const toKept = ({ changes, metricVersions, results }: ResultsDocument): KeptResults => ({
  changes,
  metricVersions,
  results: JSON.parse(results) as RunResults,
});

/** The mean of each metric by its newest version that has one: a run's versions are in order. */
function meansOf({ metrics }: RunResults): Map<string, number> {
  const newest = new Map<string, number>();
  for (const { metricId, mean } of metrics) if (mean !== null) newest.set(metricId, mean);
  return newest;
}
