import type { Identity } from '@assay/contracts/define';
import { type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RunOutline } from '@assay/contracts/run-records';
import { scaleDifferences } from '@assay/contracts/scale';
import type { Dependencies } from '../dependencies.ts';
import { errorsMetric } from '../errors-metric.ts';
import { findRun } from '../runs.ts';
import { systemMetricOf } from '../system-metrics.ts';

/** The two runs of a comparison. */
export interface Sides {
  baseline: RunOutline;
  candidate: RunOutline;
}

/** Which version of one metric is compared with which. */
export interface ComparedMetric {
  baseline: MetricVersionOutline;
  candidate: MetricVersionOutline;
}

/** Where a request names its runs: in its body, or in its query. */
export type Place = '/' | '?';

/** The runs of a request; without a baseline, that of the candidate's testset is meant. */
interface NamedRuns {
  baselineRunId?: string | undefined;
  candidateRunId: string;
  place: Place;
}

/**
 * The two runs of a request.
 * @throws VALIDATION_ERROR where one is not there, the two are of different projects or testsets,
 * or no baseline is named and the candidate's testset has none.
 */
export async function findSides(
  { runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  { baselineRunId, candidateRunId, place }: NamedRuns,
): Promise<Sides> {
  const runIds = baselineRunId === undefined ? [candidateRunId] : [baselineRunId, candidateRunId];
  const { runs } = await runRecords.readRuns(identity, { runIds });
  const named = (runId: string) => runs.find(({ id }) => id === runId);
  const missing = Object.entries({ baselineRunId, candidateRunId }).filter(
    ([, runId]) => runId !== undefined && !named(runId),
  );
  if (missing.length > 0)
    throw invalid(
      missing.map(
        ([name]): Issue => ({
          path: `${place}${name}`,
          message: 'does not belong to this organization',
        }),
      ),
    );
  const candidate = named(candidateRunId)!;
  const baseline =
    baselineRunId === undefined
      ? await findBaseline({ runRecords, ask }, identity, { candidate, place })
      : named(baselineRunId)!;
  const differs = (what: string) =>
    invalidAt(`${place}candidateRunId`, `is a run of another ${what} than the baseline's`);
  if (baseline.projectId !== candidate.projectId) throw differs('project');
  if (baseline.testsetId !== candidate.testsetId) throw differs('testset');
  return { baseline, candidate };
}

/**
 * The baseline of the candidate's testset.
 * @throws VALIDATION_ERROR that says how to set one.
 */
async function findBaseline(
  { runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  { candidate: { testsetId }, place }: { candidate: RunOutline; place: Place },
): Promise<RunOutline> {
  const required = (why: string) =>
    invalidAt(`${place}baselineRunId`, `is required, because ${why}`);
  if (testsetId === null) throw required('the candidate is a run without a testset');
  const { found, baselineRunId } = await ask.catalog.baseline(identity, { testsetId });
  if (!found) throw required("the candidate's testset was deleted");
  const operation = `PUT /testsets/${testsetId}/baseline`;
  if (baselineRunId === null)
    throw required(`the candidate's testset has no baseline: ${operation} sets one`);
  const baseline = await findRun(runRecords, identity, baselineRunId);
  if (!baseline)
    throw required(
      `the baseline of the candidate's testset, the run ${baselineRunId}, was deleted: ${operation} sets another one`,
    );
  return baseline;
}

/**
 * A metric of both runs: its newest version that both have, or else the newest of each. Undefined
 * where a run has none.
 */
export function comparedMetric(sides: Sides, metricId: string): ComparedMetric | undefined {
  const beside =
    systemMetricOf(metricId) ?? (metricId === errorsMetric.metricId ? errorsMetric : undefined);
  if (beside) return { baseline: beside, candidate: beside };
  // A run's versions are in the order in which they joined it.
  const [ofBaseline, ofCandidate] = [sides.baseline, sides.candidate].map(({ metrics }) =>
    metrics.filter((metric) => metric.metricId === metricId),
  ) as [MetricVersionOutline[], MetricVersionOutline[]];
  const shared = ofCandidate.findLast(({ metricVersionId }) =>
    ofBaseline.some((metric) => metric.metricVersionId === metricVersionId),
  );
  const baseline = shared ?? ofBaseline.at(-1);
  const candidate = shared ?? ofCandidate.at(-1);
  return baseline && candidate && { baseline, candidate };
}

/**
 * Why the versions of a metric cannot be compared: their scales or directions differ, so that the
 * same number says another thing. Undefined where they can.
 */
export function incomparable({ baseline, candidate }: ComparedMetric): string | undefined {
  const differences = scaleDifferences(baseline, candidate);
  if (differences.length === 0) return undefined;
  const told = differences.map(
    ({ member, values: [before, after] }) =>
      `${member} ${before} in the baseline and ${after} in the candidate`,
  );
  return `names the metric ${JSON.stringify(candidate.name)}, whose versions cannot be compared: they have ${told.join(', ')}. Rescore the runs by one version, or compare other metrics`;
}

/** @throws VALIDATION_ERROR at the path where the versions of a metric cannot be compared. */
export function checkComparable(metric: ComparedMetric, path: string): void {
  const message = incomparable(metric);
  if (message !== undefined) throw invalidAt(path, message);
}

/**
 * The metrics of these ids, or all that both runs have.
 * @throws VALIDATION_ERROR where one of the ids is not a metric of both runs, and where the versions
 * of one cannot be compared.
 */
export function comparedMetrics(
  sides: Sides,
  metricIds: readonly string[] | undefined,
): ComparedMetric[] {
  const wanted = metricIds ?? sides.baseline.metrics.map(({ metricId }) => metricId);
  const metrics = new Map(wanted.map((metricId) => [metricId, comparedMetric(sides, metricId)]));
  const issues = (metricIds ?? []).flatMap((metricId, index): Issue[] =>
    metrics.get(metricId)
      ? []
      : [{ path: `/metricIds/${index}`, message: 'is not a metric of both runs' }],
  );
  const found = [...metrics.values()].filter((metric) => metric !== undefined);
  for (const metric of found) {
    const message = incomparable(metric);
    const place = metricIds?.indexOf(metric.candidate.metricId);
    const path = place === undefined ? '/candidateRunId' : `/metricIds/${place}`;
    if (message !== undefined) issues.push({ path, message });
  }
  if (issues.length > 0) throw invalid(issues);
  return found;
}
