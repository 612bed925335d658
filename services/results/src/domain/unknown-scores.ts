import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RatedRecord, RunOutline } from '@assay/contracts/run-records';

/** Why nobody knows a score. */
type UnknownKind = 'missing' | 'failed' | 'invalid';

export type UnknownCounts = Record<UnknownKind, number>;

export const noneUnknown = (): UnknownCounts => ({ missing: 0, failed: 0, invalid: 0 });

export const sumOf = ({ missing, failed, invalid }: UnknownCounts): number =>
  missing + failed + invalid;

/**
 * Why a record without a value of a metric has none; undefined where it needs none: its system gave
 * no answer, the metric does not apply, or no judge was asked since the run had decided before.
 */
export function unknownKindOf(
  { error, notApplicable, failed, invalid }: RatedRecord,
  { metricVersionId, evalType }: MetricVersionOutline,
  { stopping }: Pick<RunOutline, 'stopping'>,
): UnknownKind | undefined {
  if (error || notApplicable?.includes(metricVersionId)) return undefined;
  if (failed.includes(metricVersionId)) return 'failed';
  if (invalid?.includes(metricVersionId)) return 'invalid';
  return stopping?.isStopped && evalType === 'ai' ? undefined : 'missing';
}

/** The testcases that a run is to have, with so many records each. */
interface Expectation {
  testcases: number;
  repeats: number;
}

/** Undefined where a run expects nothing, or is told by a process of 0.2.0. */
export function expectationOf({
  numExpectedRecords,
  repeats = 1,
}: Pick<RunOutline, 'numExpectedRecords' | 'repeats'>): Expectation | undefined {
  if (numExpectedRecords === undefined || numExpectedRecords === null) return undefined;
  return { testcases: Math.floor(numExpectedRecords / repeats), repeats };
}

/** The testcases and records that a run is to have, and lacks. */
export interface Absence {
  /** Testcases without a record. */
  testcases: number;
  /** Records of each of them. */
  repeats: number;
  /** Records that the other testcases lack, by their places. */
  partly: Map<number, number>;
}

/** The absence where each place of a testcase has so many records. */
export function absenceOf(
  expectation: Expectation | undefined,
  recordCounts: readonly number[],
): Absence {
  const { testcases, repeats } = expectation ?? { testcases: 0, repeats: 0 };
  const partly = new Map<number, number>();
  for (const [place, count] of recordCounts.entries())
    if (count < repeats) partly.set(place, repeats - count);
  return { testcases: Math.max(0, testcases - recordCounts.length), repeats, partly };
}

export const absentRecords = ({ testcases, repeats, partly }: Absence): number =>
  testcases * repeats + [...partly.values()].reduce((sum, count) => sum + count, 0);
