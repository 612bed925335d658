import { bestOf, worstOf } from '@assay/contracts/scale';
import type { Fill } from '../filled-records.ts';
import { absenceOf, absentRecords, expectationOf, sumOf } from '../unknown-scores.ts';
import type { ComparedMetric, Sides } from './sides.ts';
import { type RunValues, type ValuesOfBoth, valuesOf } from './values.ts';

/** The values of the unknown scores of both runs. */
export type FillOfBoth = Record<keyof Sides, Fill>;

const sideNames = ['baseline', 'candidate'] as const;

/** The unknown scores of a metric in both runs, with those that each run is to have. */
export function unknownScoresOf(sides: Sides, gathered: ValuesOfBoth, metric: ComparedMetric) {
  const ofSide = (side: keyof Sides) => {
    const run = gathered[side];
    const { missing, ...others } = run.columns.get(metric[side].metricVersionId)!.unknown;
    const absent = absentRecords(absenceOf(expectationOf(sides[side]), run.recordCounts));
    return { expected: run.errors.of + absent, missing: missing + absent, ...others };
  };
  return { baseline: ofSide('baseline'), candidate: ofSide('candidate') };
}

/**
 * What unknown scores count where they count against the candidate: the worst of the metric in the
 * candidate, the best in the baseline (contract section 5, The gate). Metrics whose scale lacks the
 * end that they need are left out, and those of people that nobody named.
 */
export function planFill({
  sides,
  metrics,
  gathered,
  namedIds,
}: {
  sides: Sides;
  metrics: readonly ComparedMetric[];
  /** The values without any filling. */
  gathered: ValuesOfBoth;
  namedIds: readonly string[] | undefined;
}): FillOfBoth {
  const values = { baseline: new Map<string, number>(), candidate: new Map<string, number>() };
  const absent = {
    baseline: new Map<string, Map<string, number>>(),
    candidate: new Map<string, Map<string, number>>(),
  };
  for (const metric of metrics) {
    const ends = endsOf({ sides, gathered, metric, namedIds });
    if (!ends) continue;
    const lacking = absentTestcases({ sides, gathered, metric });
    for (const side of sideNames) {
      const { metricVersionId } = metric[side];
      const end = ends[side];
      if (end === undefined) continue;
      values[side].set(metricVersionId, end);
      for (const [testcaseId, count] of lacking[side]) {
        const counts = absent[side].get(testcaseId) ?? new Map<string, number>();
        absent[side].set(testcaseId, counts.set(metricVersionId, count));
      }
    }
  }
  return {
    baseline: { values: values.baseline, absent: absent.baseline },
    candidate: { values: values.candidate, absent: absent.candidate },
  };
}

/** Whether the unknown scores of a metric, where it has some, count in both runs. */
export function areFilledIn(
  fill: FillOfBoth,
  metric: ComparedMetric,
  unknown: ReturnType<typeof unknownScoresOf>,
): boolean {
  return sideNames.every(
    (side) => sumOf(unknown[side]) === 0 || fill[side].values.has(metric[side].metricVersionId),
  );
}

/** The values that unknown scores count; undefined where one that is needed does not exist. */
function endsOf({
  sides,
  gathered,
  metric,
  namedIds = [],
}: {
  sides: Sides;
  gathered: ValuesOfBoth;
  metric: ComparedMetric;
  namedIds: readonly string[] | undefined;
}): Record<keyof Sides, number | undefined> | undefined {
  const { candidate } = metric;
  if (candidate.evalType === 'human' && !namedIds.includes(candidate.metricId)) return undefined;
  const unknown = unknownScoresOf(sides, gathered, metric);
  const ends = { baseline: bestOf(metric.baseline), candidate: worstOf(metric.candidate) };
  const isLacking = sideNames.some((side) => sumOf(unknown[side]) > 0 && ends[side] === undefined);
  return isLacking ? undefined : ends;
}

/** Testcases that a run lacks, with how many records of each. */
type Lacking = Record<keyof Sides, Map<string, number>>;

/**
 * The testcases whose records a run lacks. Where the other run has more testcases than are lacking,
 * those that speak most against the candidate are taken. Testcases that both lack get names here.
 */
function absentTestcases({
  sides,
  gathered,
  metric,
}: {
  sides: Sides;
  gathered: ValuesOfBoth;
  metric: ComparedMetric;
}): Lacking {
  const lacking: Lacking = { baseline: new Map(), candidate: new Map() };
  const remaining = { baseline: 0, candidate: 0 };
  const repeatsOf = { baseline: 1, candidate: 1 };
  for (const side of sideNames) {
    const other = gathered[side === 'baseline' ? 'candidate' : 'baseline'];
    const absence = absenceOf(expectationOf(sides[side]), gathered[side].recordCounts);
    repeatsOf[side] = absence.repeats;
    if (absence.partly.size > 0)
      for (const [testcaseId, place] of gathered[side].places) {
        const count = absence.partly.get(place);
        if (count !== undefined) lacking[side].set(testcaseId, count);
      }
    if (absence.testcases === 0) continue;
    const alone = onlyIn(other, gathered[side]);
    const chosen = againstCandidate(alone, { side, gathered, metric }).slice(0, absence.testcases);
    for (const testcaseId of chosen) lacking[side].set(testcaseId, absence.repeats);
    remaining[side] = absence.testcases - chosen.length;
  }
  for (let index = 0; index < Math.min(remaining.baseline, remaining.candidate); index++)
    for (const side of sideNames) lacking[side].set(`absent ${index}`, repeatsOf[side]);
  return lacking;
}

const onlyIn = ({ places }: RunValues, other: RunValues): string[] =>
  [...places.keys()].filter((testcaseId) => !other.places.has(testcaseId)).sort();

/** In the order in which they speak against the candidate, the strongest first. */
function againstCandidate(
  testcaseIds: string[],
  { side, gathered, metric }: { side: keyof Sides; gathered: ValuesOfBoth; metric: ComparedMetric },
): string[] {
  const isMoreAgainst = (side === 'candidate') === !metric.candidate.lowerIsBetter;
  const other = side === 'candidate' ? 'baseline' : 'candidate';
  const { places, columns } = gathered[other];
  const { notApplicable } = columns.get(metric[other].metricVersionId)!;
  const strengths = [...valuesOf(testcaseIds, gathered, metric)].map((testcase) => {
    const { testcaseId, [other]: known } = testcase;
    if (known) return { testcaseId, strength: isMoreAgainst ? known.value : -known.value };
    // A testcase without a value is filled in itself, unless the metric does not apply to it.
    const isLeftOut = notApplicable.has(places.get(testcaseId)!);
    return { testcaseId, strength: isLeftOut ? -Infinity : Infinity };
  });
  return strengths
    .toSorted((one, next) => next.strength - one.strength || 0)
    .map(({ testcaseId }) => testcaseId);
}
