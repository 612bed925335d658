import type { Database } from '@assay/runtime/mongo/database';

interface ExpiredRun {
  _id: string;
  organizationId: string;
  projectId: string;
  testsetId: string | null;
  createdAt: Date;
  metrics: unknown[];
  expired: { counts: { changes: number }; results: string };
}

interface Result {
  metricId: string;
  mean: number | null;
}

/** Keeps the results that expired runs have where those of other runs are kept. */
export async function keepResultsOfExpired(database: Database): Promise<void> {
  const runs = database.collection<ExpiredRun>('runs');
  const kept = database.collection<{ _id: string }>('run_results');
  const means = database.collection<{ _id: string }>('run_means');
  for await (const run of runs.find({ expired: { $exists: true } } as object)) {
    const { _id: runId, organizationId, projectId, testsetId, createdAt, expired } = run;
    const { counts, results } = expired;
    const document = {
      organizationId,
      projectId,
      testsetId,
      createdAt,
      changes: counts.changes,
      metricVersions: run.metrics.length,
      results,
    };
    await kept.replaceOne({ _id: runId }, document, { upsert: true });
    for (const { metricId, mean } of (JSON.parse(results) as { metrics: Result[] }).metrics)
      if (mean !== null)
        await means.replaceOne(
          { _id: `${runId}/${metricId}` },
          { organizationId, projectId, runId, metricId, createdAt, mean },
          { upsert: true },
        );
  }
}
