import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import type { Comparison, results } from '@assay/contracts/results';
import { fitToVerdict } from '@assay/statistics/interval';
import { anytimeFigures } from './comparison/anytime-figures.ts';
import {
  type CalibratedMetric,
  calibrateMetrics,
  planCalibration,
  shownCalibration,
  testOf,
} from './comparison/calibrated.ts';
import { warnOfChangedTestcases } from './comparison/changed-testcases.ts';
import { groupTestcases } from './comparison/groups.ts';
import { lookedAt, withAnytimeFigures } from './comparison/looked-while-judging.ts';
import { countGroups } from './comparison/pair-groups.ts';
import { createPairList } from './comparison/pair-list.ts';
import type { MetricPairs, PairStatistics } from './comparison/pairs.ts';
import { type ComparedMetric, comparedMetrics, findSides } from './comparison/sides.ts';
import {
  commonTestcases,
  gatherSides,
  type Pair,
  pairsOf,
  type ValuesOfBoth,
} from './comparison/values.ts';
import { type Decision, decide } from './comparison/verdict.ts';
import { warningsOf } from './comparison/warnings.ts';
import type { Dependencies } from './dependencies.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import { isSystemMetric } from './system-metrics.ts';

type ComparisonBody = Request<(typeof results)['operations']['compareRuns']>['body'];

/**
 * Whether the difference between two runs is real, and where it is (contract section 3, Results).
 */
export function createComparisons({
  runRecords,
  ask,
  compare,
}: Pick<Dependencies, 'runRecords' | 'ask' | 'compare'>) {
  const onceOf = createRememberedAnswers({ runRecords });

  /** The fields in which the two versions of a metric score in other ways. */
  async function changesOf(
    identity: Identity,
    { baseline: { metricVersionId: from }, candidate: { metricVersionId: to } }: ComparedMetric,
  ): Promise<string[]> {
    if (from === to) return [];
    return (await ask.metrics.changes(identity, { from, to })).changes;
  }

  async function comparisonOf(
    identity: Identity,
    {
      baselineRunId,
      candidateRunId,
      metricIds,
      level,
      groupBy,
      repeats,
      calibrateWith,
    }: ComparisonBody,
  ): Promise<Comparison> {
    const sides = await findSides({ runRecords, ask }, identity, {
      baselineRunId,
      candidateRunId,
      place: '/',
    });
    const metrics = comparedMetrics(sides, metricIds);
    const plan = planCalibration(sides, metrics, calibrateWith);
    const gathered = await gatherSides(runRecords, identity, {
      sides,
      metrics,
      repeats,
      withHashes: true,
      labelsBy: plan?.human ?? 'people',
    });
    const testcaseIds = commonTestcases(gathered);
    const warnings = await warnOfChangedTestcases({ runRecords }, identity, {
      sides,
      gathered,
      testcaseIds,
    });
    const groups =
      groupBy === undefined
        ? undefined
        : await groupTestcases({ runRecords, ask }, identity, {
            groupBy,
            run: sides.baseline,
            testcaseIds,
          });
    const compared = [];
    // One after the other: the pairs of all metrics at once might not fit into memory.
    for (const metric of metrics) {
      const pairs = pairsOf(testcaseIds, gathered, metric);
      const looked = lookedAt(sides, metric);
      const statistics = await compare(toMetricPairs(pairs, { metric, level, groups }));
      compared.push({
        metric,
        changes: await changesOf(identity, metric),
        looked,
        groups: countGroups(gathered, metric),
        statistics: looked.length > 0 ? withAnytimeFigures(statistics) : statistics,
      });
    }
    const decisions = decide(
      compared.map(({ statistics }) => statistics),
      level,
    );
    const calibrated = plan
      ? await calibrateMetrics(runRecords, identity, {
          plan,
          sides,
          metrics,
          level,
          repeats,
          groups,
        })
      : new Map<string, CalibratedMetric>();
    const calibrationOf = ({ candidate }: ComparedMetric) => calibrated.get(candidate.metricId);
    const calibratedDecisions = decide(
      compared.map(({ metric, statistics }) => testOf(calibrationOf(metric)) ?? statistics),
      level,
    );
    const anytime = anytimeFigures(
      compared.map(({ statistics }) => statistics),
      level,
    );
    return {
      baselineRunId: sides.baseline.id,
      candidateRunId,
      metrics: compared.map(({ metric, changes, looked, groups, statistics }, place) => {
        const counts = {
          unpaired: unpairedOf(gathered, metric, statistics),
          recordsPerTestcase: recordsPerTestcase(pairsOf(testcaseIds, gathered, metric)),
        };
        const calibration = calibrationOf(metric);
        return {
          ...outlineOf(metric),
          ...counts,
          groups,
          ...shownOf(statistics, decisions[place]!),
          ...anytime[place]!,
          ...warningsOf({
            metric,
            changes,
            looked,
            gathered,
            statistics,
            ...counts,
            level,
            calibration: calibration?.calibration,
          }),
          ...(calibration && {
            calibrated: shownCalibration(calibration, calibratedDecisions[place]!),
          }),
        };
      }),
      ...(warnings.length > 0 ? { warnings } : {}),
    };
  }

  return {
    compare: (identity: Identity, body: ComparisonBody, key: IdempotencyKey | undefined) =>
      onceOf(identity, key, () => comparisonOf(identity, body)),
    ...createPairList({ runRecords, ask }),
  };
}

export function toMetricPairs(
  pairs: Iterable<Pair>,
  {
    metric,
    level,
    groups,
  }: { metric: ComparedMetric; level: number; groups: Map<string, number> | undefined },
): MetricPairs {
  const [baselines, candidates, groupNumbers]: [number[], number[], number[]] = [[], [], []];
  for (const { testcaseId, baseline, candidate } of pairs) {
    baselines.push(baseline.value);
    candidates.push(candidate.value);
    if (groups) groupNumbers.push(groups.get(testcaseId)!);
  }
  return {
    outputType: metric.candidate.outputType,
    level,
    ...(isSystemMetric(metric.candidate) ? { isMeasured: true } : {}),
    baseline: Float64Array.from(baselines),
    candidate: Float64Array.from(candidates),
    ...(groups ? { groups: Int32Array.from(groupNumbers) } : {}),
  };
}

/** The statistics as a comparison shows them: the interval says what the verdict says. */
function shownOf(
  { guard: _guard, anytime: _anytime, ...statistics }: PairStatistics,
  decision: Decision,
) {
  const { confidenceInterval, lowerIsBetter } = statistics;
  const direction = lowerIsBetter ? opposite[decision.verdict] : decision.verdict;
  return {
    ...statistics,
    ...decision,
    confidenceInterval: fitToVerdict(confidenceInterval, direction),
  };
}

/** Where less is better, a better candidate is one whose difference is below 0. */
const opposite = { better: 'worse', worse: 'better', undecided: 'undecided' } as const;

const outlineOf = ({ baseline, candidate }: ComparedMetric) => ({
  metricId: candidate.metricId,
  name: candidate.name,
  evalType: candidate.evalType,
  outputType: candidate.outputType,
  baselineMetricVersionId: baseline.metricVersionId,
  candidateMetricVersionId: candidate.metricVersionId,
});

/** The mean number of records from which the values come. */
function recordsPerTestcase(pairs: Iterable<Pair>) {
  const totals = { baseline: 0, candidate: 0 };
  let count = 0;
  for (const { baseline, candidate } of pairs) {
    totals.baseline += baseline.records;
    totals.candidate += candidate.records;
    count++;
  }
  return {
    baseline: count === 0 ? null : totals.baseline / count,
    candidate: count === 0 ? null : totals.candidate / count,
  };
}

const unpairedOf = (
  { baseline, candidate }: ValuesOfBoth,
  metric: ComparedMetric,
  { paired }: PairStatistics,
): number =>
  baseline.columns.get(metric.baseline.metricVersionId)!.valued +
  candidate.columns.get(metric.candidate.metricVersionId)!.valued -
  2 * paired;
