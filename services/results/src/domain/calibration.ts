import { labelsMin } from '@assay/contracts/results';
import type { Scale } from '@assay/statistics/bootstrap';
import { type CalibratedMean, calibratedMean } from '@assay/statistics/calibrated-mean';

/** A judge's value of a testcase, and people's value of it, where they scored it. */
export interface JudgedTestcase {
  testcaseId: string;
  judged: number;
  label: number | undefined;
  /**
   * The system failed on one of its records, or the judge's score of one is unknown and counts
   * against the candidate: judge and people say so alike, and it needs no label.
   */
  isErrored?: boolean;
}

export interface CalibrationRequest {
  level: number;
  /** The least and the greatest value of a testcase. */
  scale: Scale;
  /** The largest error that a judgement is taken to have; infinite where the scale bounds none. */
  errorMax: number;
  /** The probability with which each testcase was drawn to be labelled, of those that were drawn. */
  probabilities?: ReadonlyMap<string, number> | undefined;
  /** The group of each testcase. */
  groups?: ReadonlyMap<string, number> | undefined;
}

export interface Calibration {
  /** Testcases that the judge and people scored, and that count. */
  labels: number;
  /** Whether these were drawn with known probabilities. */
  labelsWereDrawn: boolean;
  /** Whether the judge scored testcases that have no label. */
  isPartial: boolean;
  /** The groups that have labels. */
  labelledGroups: number | undefined;
  /** Left out where the labels are too few. */
  figures?: CalibratedMean;
}

/** Groups with labels below which nothing is told: few groups do not show how much they differ. */
export const labelledGroupsMin = 10;

/**
 * Corrects a judge's mean by people's labels. Where some labels were drawn with a known
 * probability, only these count: nobody knows how the others were chosen. Else all labels count as
 * drawn alike. Pure; takes some milliseconds for a hundred thousand testcases.
 */
export function calibrate(
  all: readonly JudgedTestcase[],
  { probabilities, groups, errorMax, ...bounds }: CalibrationRequest,
): Calibration {
  const testcases = all.filter(({ isErrored }) => !isErrored);
  const errored = all.filter(({ isErrored }) => isErrored);
  const isLabelled = ({ label }: JudgedTestcase): boolean => label !== undefined;
  const isDrawn = ({ testcaseId }: JudgedTestcase): boolean =>
    probabilities?.has(testcaseId) === true;
  const labelsWereDrawn = testcases.some((testcase) => isLabelled(testcase) && isDrawn(testcase));
  const counts = (testcase: JudgedTestcase): boolean =>
    isLabelled(testcase) && (!labelsWereDrawn || isDrawn(testcase));
  const labelled = testcases.filter(counts);
  const calibration = {
    labels: labelled.length,
    labelsWereDrawn,
    isPartial: labelled.length < testcases.length,
    labelledGroups: groups && new Set(labelled.map((each) => groups.get(each.testcaseId)!)).size,
  };
  if (isTooLittle(calibration)) return calibration;
  return {
    ...calibration,
    figures: calibratedMean(
      {
        judged: Float64Array.from(testcases, ({ judged }) => judged),
        labels: Float64Array.from(testcases, (each) => (counts(each) ? each.label! : Number.NaN)),
        probabilities: labelsWereDrawn
          ? Float64Array.from(testcases, ({ testcaseId }) => probabilities!.get(testcaseId) ?? 1)
          : undefined,
        groups: groups && Int32Array.from(testcases, (each) => groups.get(each.testcaseId)!),
      },
      {
        ...bounds,
        errorMax: Number.isFinite(errorMax) ? errorMax : rangeOf(testcases),
        ...(errored.length > 0 && {
          known: Float64Array.from(errored, ({ judged }) => judged),
        }),
      },
    ),
  };
}

/**
 * How far the values of some testcases are apart. On a scale without an end it is the largest error
 * that there is a reason to expect.
 */
function rangeOf(testcases: readonly JudgedTestcase[]): number {
  let [least, greatest] = [Infinity, -Infinity];
  for (const { judged, label = judged } of testcases) {
    least = Math.min(least, judged, label);
    greatest = Math.max(greatest, judged, label);
  }
  return greatest - least;
}

const isTooLittle = ({ labels, labelledGroups = labelledGroupsMin }: Calibration): boolean =>
  labels < labelsMin || labelledGroups < labelledGroupsMin;
