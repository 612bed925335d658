import type { Identity } from '@assay/contracts/define';
import { type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RunOutline } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';

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

/**
 * The runs that a request names.
 * @throws VALIDATION_ERROR where one is not there, or the two are of different projects or
 * testsets.
 */
export async function findSides(
  { readRuns }: Pick<Dependencies['runRecords'], 'readRuns'>,
  identity: Identity,
  {
    baselineRunId,
    candidateRunId,
    place,
  }: { baselineRunId: string; candidateRunId: string; place: Place },
): Promise<Sides> {
  const { runs } = await readRuns(identity, { runIds: [baselineRunId, candidateRunId] });
  const [baseline, candidate] = [baselineRunId, candidateRunId].map((runId) =>
    runs.find(({ id }) => id === runId),
  );
  if (!baseline || !candidate) {
    const missing = Object.entries({ baselineRunId: baseline, candidateRunId: candidate }).filter(
      ([, run]) => !run,
    );
    throw invalid(
      missing.map(
        ([name]): Issue => ({
          path: `${place}${name}`,
          message: 'does not belong to this organization',
        }),
      ),
    );
  }
  const differs = (what: string) =>
    invalidAt(`${place}candidateRunId`, `is a run of another ${what} than the baseline's`);
  if (baseline.projectId !== candidate.projectId) throw differs('project');
  if (baseline.testsetId !== candidate.testsetId) throw differs('testset');
  return { baseline, candidate };
}

/**
 * A metric of both runs: its newest version that both have, or else the newest of each. Undefined
 * where a run has none.
 */
export function comparedMetric(sides: Sides, metricId: string): ComparedMetric | undefined {
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
 * The metrics of these ids, or all that both runs have.
 * @throws VALIDATION_ERROR where one of the ids is not a metric of both runs.
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
  if (issues.length > 0) throw invalid(issues);
  return [...metrics.values()].filter((metric) => metric !== undefined);
}
