import type { Identity } from '@assay/contracts/define';
import type { Comparison, Repeats } from '@assay/contracts/results';
import { statedScale } from '@assay/contracts/scale';
import { fitToVerdict } from '@assay/statistics/interval';
import type { Dependencies } from '../dependencies.ts';
import { errorsMetric, isErrorsMetric } from '../errors-metric.ts';
import type { ErrorsRule } from '../rated-records.ts';
import { anytimeFigures } from './anytime-figures.ts';
import { inapplicableAlone } from './applicability.ts';
import {
  type CalibratedMetric,
  type CalibrationPlan,
  calibrateMetrics,
  shownCalibration,
  testOf,
} from './calibrated.ts';
import { warnOfChangedTestcases } from './changed-testcases.ts';
import { warnOfErrors, warnOfErrorsIn } from './error-warnings.ts';
import { areFilledIn, type FillOfBoth, unknownScoresOf } from './fill.ts';
import { groupTestcases } from './groups.ts';
import { lookedAt, withAnytimeFigures } from './looked-while-judging.ts';
import { countGroups } from './pair-groups.ts';
import type { MetricPairs, PairStatistics } from './pairs.ts';
import type { ComparedMetric, Sides } from './sides.ts';
import { commonTestcases, gatherSides, type Pair, pairsOf, type ValuesOfBoth } from './values.ts';
import { type Decision, decide, signOf } from './verdict.ts';
import { warningsOf } from './warnings.ts';

/** Two runs, the metrics to compare, and the way to do it. */
export interface SidesRequest {
  sides: Sides;
  metrics: readonly ComparedMetric[];
  level: number;
  groupBy: string | undefined;
  repeats: Repeats;
  plan: CalibrationPlan | undefined;
  errors: ErrorsRule;
  /** What unknown scores count, and the values without them; nothing where it is left out. */
  filling?: { fill: FillOfBoth; known: ValuesOfBoth } | undefined;
}

/** A comparison, and the values behind it. */
export interface ComparedSides {
  comparison: Comparison;
  gathered: ValuesOfBoth;
  /** With `groupBy`, the number of each testcase's group. */
  groups: ReadonlyMap<string, number> | undefined;
}

/** Errors are compared beside the metrics, in whichever runs. */
const errorsRow: ComparedMetric = { baseline: errorsMetric, candidate: errorsMetric };

/** Compares two runs metric by metric, and their errors (contract section 3, Results; section 5). */
export async function compareSides(
  { runRecords, ask, compare }: Pick<Dependencies, 'runRecords' | 'ask' | 'compare'>,
  identity: Identity,
  { sides, metrics, level, groupBy, repeats, plan, errors, filling }: SidesRequest,
): Promise<ComparedSides> {
  const gathered = await gatherSides(runRecords, identity, {
    sides,
    metrics,
    repeats,
    errors,
    fill: filling?.fill,
    withHashes: !filling,
    labelsBy: plan?.human ?? 'people',
  });
  const testcaseIds = commonTestcases(gathered);
  const changed = filling
    ? []
    : await warnOfChangedTestcases({ runRecords }, identity, { sides, gathered, testcaseIds });
  const groups =
    groupBy === undefined
      ? undefined
      : await groupTestcases({ runRecords, ask }, identity, {
          groupBy,
          run: sides.baseline,
          testcaseIds,
        });
  const compared: ComparedRow[] = [];
  // One after the other: the pairs of all metrics at once might not fit into memory.
  for (const metric of [...metrics, errorsRow]) {
    const pairs = pairsOf(testcaseIds, gathered, metric);
    const looked = lookedAt(sides, metric);
    const statistics = await compare(toMetricPairs(pairs, { metric, level, groups }));
    const shown = looked.length > 0 ? withAnytimeFigures(statistics) : statistics;
    compared.push({
      metric,
      changes: await changesOf(ask, identity, metric),
      looked,
      groups: countGroups(gathered, metric),
      statistics: isErrorsMetric(metric.candidate) ? untestedWhereAlike(shown) : shown,
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
        errors,
        fill: filling?.fill,
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
  const rows = compared.map(({ metric, changes, looked, groups, statistics }, place) => {
    const inapplicable = inapplicableAlone(metric, gathered);
    const counts = {
      unpaired: unpairedOf(gathered, metric, { ...statistics, inapplicable }),
      recordsPerTestcase: recordsPerTestcase(pairsOf(testcaseIds, gathered, metric)),
    };
    const calibration = calibrationOf(metric);
    const warnings = [
      ...warningsOf({
        metric,
        changes,
        looked,
        gathered,
        statistics,
        ...counts,
        inapplicable,
        level,
        calibration: calibration?.calibration,
      }),
      ...warnOfErrorsIn(metric, gathered, errors),
    ];
    return {
      ...outlineOf(metric),
      errored: erroredIn(gathered, metric),
      unknownScores: shownUnknown(sides, metric, { gathered, filling }),
      ...counts,
      groups,
      ...shownOf(statistics, decisions[place]!),
      ...anytime[place]!,
      ...(warnings.length > 0 && !isErrorsMetric(metric.candidate) ? { warnings } : {}),
      ...(calibration && {
        calibrated: shownCalibration(calibration, calibratedDecisions[place]!),
      }),
    };
  });
  const warnings = [...changed, ...warnOfErrors(gathered, errors)];
  return {
    gathered,
    groups,
    comparison: {
      baselineRunId: sides.baseline.id,
      candidateRunId: sides.candidate.id,
      metrics: rows.slice(0, -1),
      errors: withoutIds(rows.at(-1)!),
      ...(warnings.length > 0 ? { warnings } : {}),
    },
  };
}

/** A metric with its figures, or the errors. */
interface ComparedRow {
  metric: ComparedMetric;
  changes: string[];
  looked: ReturnType<typeof lookedAt>;
  groups: ReturnType<typeof countGroups>;
  statistics: PairStatistics;
}

/** The fields in which the two versions of a metric score in other ways. */
async function changesOf(
  ask: Dependencies['ask'],
  identity: Identity,
  { baseline: { metricVersionId: from }, candidate: { metricVersionId: to } }: ComparedMetric,
): Promise<string[]> {
  if (from === to) return [];
  return (await ask.metrics.changes(identity, { from, to })).changes;
}

/**
 * Errors join the correction only where a testcase errored in one run more than in the other: a
 * comparison without errors is that of its metrics alone.
 */
const untestedWhereAlike = (statistics: PairStatistics): PairStatistics =>
  statistics.improved + statistics.regressed > 0
    ? statistics
    : { ...statistics, pValue: null, anytime: { ...statistics.anytime, pValue: null } };

export function toMetricPairs(
  pairs: Iterable<Pair>,
  {
    metric,
    level,
    groups,
  }: { metric: ComparedMetric; level: number; groups: ReadonlyMap<string, number> | undefined },
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
    ...statedScale(metric.candidate),
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
  return {
    ...statistics,
    ...decision,
    confidenceInterval: fitToVerdict(
      statistics.confidenceInterval,
      signOf(decision.verdict, statistics),
    ),
  };
}

const outlineOf = ({ baseline, candidate }: ComparedMetric) => ({
  metricId: candidate.metricId,
  name: candidate.name,
  evalType: candidate.evalType,
  outputType: candidate.outputType,
  ...statedScale(candidate),
  baselineMetricVersionId: baseline.metricVersionId,
  candidateMetricVersionId: candidate.metricVersionId,
});

/** Errors are no metric of the runs: they have no ids. */
function withoutIds<Row extends ReturnType<typeof outlineOf> & { unknownScores: object }>({
  metricId: _metricId,
  baselineMetricVersionId: _baseline,
  candidateMetricVersionId: _candidate,
  unknownScores: _unknown,
  ...row
}: Row) {
  return row;
}

function erroredIn(gathered: ValuesOfBoth, metric: ComparedMetric) {
  const countIn = (side: keyof Sides): number =>
    isErrorsMetric(metric[side])
      ? gathered[side].errors.records
      : gathered[side].columns.get(metric[side].metricVersionId)!.errored;
  return { baseline: countIn('baseline'), candidate: countIn('candidate') };
}

/** The unknown scores of a metric, and whether they count against the candidate. */
function shownUnknown(
  sides: Sides,
  metric: ComparedMetric,
  { gathered, filling }: { gathered: ValuesOfBoth } & Pick<SidesRequest, 'filling'>,
) {
  const unknown = unknownScoresOf(sides, filling?.known ?? gathered, metric);
  return filling
    ? { ...unknown, areFilledIn: areFilledIn(filling.fill, metric, unknown) }
    : unknown;
}

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

/** Testcases without a counterpart: that a metric does not apply to one is told by itself. */
const unpairedOf = (
  { baseline, candidate }: ValuesOfBoth,
  metric: ComparedMetric,
  {
    paired,
    inapplicable,
  }: Pick<PairStatistics, 'paired'> & { inapplicable: Record<keyof Sides, number> },
): number =>
  baseline.columns.get(metric.baseline.metricVersionId)!.valued +
  candidate.columns.get(metric.candidate.metricVersionId)!.valued -
  2 * paired -
  inapplicable.baseline -
  inapplicable.candidate;
