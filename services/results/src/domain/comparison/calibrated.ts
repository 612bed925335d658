import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import {
  type CalibratedComparison,
  type CalibrateWith,
  labelsMin,
  type Repeats,
} from '@assay/contracts/results';
import { isSameScale, scaleOf } from '@assay/contracts/scale';
import { fitToVerdict } from '@assay/statistics/interval';
import {
  type Calibration,
  calibrate,
  type JudgedTestcase,
  labelledGroupsMin,
} from '../calibration.ts';
import type { Dependencies } from '../dependencies.ts';
import { findProbabilities } from '../drawn-labels.ts';
import type { Fill } from '../filled-records.ts';
import { gatherJudged, type JudgedMetric } from '../judged-testcases.ts';
import { differingScores, judgeOf } from '../judged-values.ts';
import { type ErrorsRule, openRatings } from '../rated-records.ts';
import { type ComparedMetric, checkComparable, type Sides } from './sides.ts';
import { type Decision, signOf, type TestResult } from './verdict.ts';

/** How the judges of compared metrics are corrected. */
export interface CalibrationPlan {
  /** A metric of people in each run; undefined where they override the judge. */
  human: ComparedMetric | undefined;
}

/** A metric of the comparison that a model judges, corrected or with the reason why not. */
export interface CalibratedMetric {
  /** Left out where the human metric has another output type. */
  calibration?: Calibration;
  reason?: string;
  lowerIsBetter: true | undefined;
}

/**
 * @throws VALIDATION_ERROR where the metric is no human metric of both runs, or no judge that is
 * compared has its output type.
 */
export function planCalibration(
  sides: Sides,
  metrics: readonly ComparedMetric[],
  calibrateWith: CalibrateWith | undefined,
): CalibrationPlan | undefined {
  if (calibrateWith === undefined) return undefined;
  if (calibrateWith === 'people') return { human: undefined };
  const { humanMetricId } = calibrateWith;
  const refused = (message: string) => invalidAt('/calibrateWith/humanMetricId', message);
  const newestOf = (side: keyof Sides) =>
    sides[side].metrics.findLast(({ metricId }) => metricId === humanMetricId);
  const [baseline, candidate] = [newestOf('baseline'), newestOf('candidate')];
  if (baseline?.evalType !== 'human' || candidate?.evalType !== 'human')
    throw refused('is not a human metric of both runs');
  const human = { baseline, candidate };
  checkComparable(human, '/calibrateWith/humanMetricId');
  const judges = metrics.filter(isJudged);
  if (judges.length > 0 && judges.every((judge) => !isSameScale(judge.candidate, candidate)))
    throw refused(
      `has ${differingScores(judges[0]!.candidate, candidate)!.human} scores, and those of the judges that are compared are not`,
    );
  return { human };
}

const isJudged = ({ candidate }: ComparedMetric): boolean => candidate.evalType === 'ai';

/**
 * The judges' differences, corrected by people's scores of testcases in both runs. Reads the
 * records of both runs once more, with the judges' votes.
 */
export async function calibrateMetrics(
  runRecords: Pick<Dependencies['runRecords'], 'streamLabelDraws' | 'streamRatings'>,
  identity: Identity,
  {
    plan: { human },
    sides,
    metrics,
    level,
    repeats,
    groups,
    errors,
    fill,
  }: {
    plan: CalibrationPlan;
    sides: Sides;
    metrics: readonly ComparedMetric[];
    level: number;
    repeats: Repeats;
    groups: ReadonlyMap<string, number> | undefined;
    errors: ErrorsRule;
    fill: Record<keyof Sides, Fill> | undefined;
  },
): Promise<Map<string, CalibratedMetric>> {
  const judges = metrics.filter(isJudged);
  const fitting = judges.filter(
    ({ candidate }) => !human || isSameScale(human.candidate, candidate),
  );
  const gather = async (side: keyof Sides) => {
    if (fitting.length === 0) return [];
    const { records } = await openRatings(runRecords, identity, {
      run: sides[side],
      metrics: fitting.map((metric) => metric[side]),
      errors,
      fill: fill?.[side],
      withVotes: true,
    });
    return gatherJudged(
      records,
      fitting.map(
        (metric): JudgedMetric => ({
          ...judgeOf(sides[side], metric[side]),
          human: human?.[side],
          numberOf: Number,
        }),
      ),
      repeats,
    );
  };
  const [baseline, candidate] = await Promise.all([gather('baseline'), gather('candidate')]);
  const calibrations = new Map<string, CalibratedMetric>();
  for (const metric of judges) {
    const place = fitting.indexOf(metric);
    const { low, high } = scaleOf(metric.candidate);
    const testcases = place < 0 ? undefined : differencesOf(baseline[place]!, candidate[place]!);
    const calibration =
      testcases &&
      calibrate(testcases, {
        level,
        scale: { low: low - high, high: high - low },
        errorMax: high - low,
        probabilities:
          human &&
          (await findProbabilities(runRecords, identity, {
            runIds: [sides.baseline.id, sides.candidate.id],
            metricId: metric.candidate.metricId,
            humanMetricId: human.candidate.metricId,
            testcases,
          })),
        groups,
      });
    const reason = calibration ? shortage(calibration) : otherType(metric, human!);
    calibrations.set(metric.candidate.metricId, {
      lowerIsBetter: metric.candidate.lowerIsBetter,
      ...(calibration && { calibration }),
      ...(reason !== undefined && { reason }),
    });
  }
  return calibrations;
}

/** The differences of the testcases that the judge scored in both runs, in the order of their ids. */
function differencesOf(
  baseline: readonly JudgedTestcase[],
  candidate: readonly JudgedTestcase[],
): JudgedTestcase[] {
  const before = new Map(baseline.map((testcase) => [testcase.testcaseId, testcase]));
  return candidate
    .flatMap(({ testcaseId, judged, label, isErrored }) => {
      const known = before.get(testcaseId);
      if (!known) return [];
      const isLabelled = label !== undefined && known.label !== undefined;
      return [
        {
          testcaseId,
          judged: judged - known.judged,
          label: isLabelled ? label - known.label! : undefined,
          isErrored: isErrored || known.isErrored,
        },
      ];
    })
    .sort((one, other) => (one.testcaseId < other.testcaseId ? -1 : 1));
}

function otherType({ candidate }: ComparedMetric, human: ComparedMetric): string {
  const told = differingScores(candidate, human.candidate)!;
  return `This judge has ${told.judge} scores, and "${human.candidate.name}" has ${told.human} ones.`;
}

function shortage({ labels, labelledGroups, figures }: Calibration): string | undefined {
  if (figures) return undefined;
  if (labels === 0)
    return 'People have not scored any testcase in both runs of those that the judge scored.';
  if (labels < labelsMin)
    return `People scored ${labels} ${labels === 1 ? 'testcase' : 'testcases'} in both runs, and ${labelsMin} are needed.`;
  return `The testcases that people scored are of ${labelledGroups} ${labelledGroups === 1 ? 'group' : 'groups'}, and ${labelledGroupsMin} are needed.`;
}

/** The test of a metric that was corrected. */
export function testOf(calibrated: CalibratedMetric | undefined): TestResult | undefined {
  const figures = calibrated?.calibration?.figures;
  return (
    figures && {
      pValue: figures.pValue,
      difference: figures.estimate,
      lowerIsBetter: calibrated.lowerIsBetter,
    }
  );
}

/** The correction as a comparison shows it: its interval agrees with its verdict. */
export function shownCalibration(
  { calibration, reason, lowerIsBetter }: CalibratedMetric,
  { adjustedPValue, verdict }: Decision,
): CalibratedComparison {
  const figures = calibration?.figures;
  return {
    difference: figures?.estimate ?? null,
    confidenceInterval: fitToVerdict(figures?.interval ?? null, signOf(verdict, { lowerIsBetter })),
    pValue: figures?.pValue ?? null,
    adjustedPValue: figures ? adjustedPValue : null,
    verdict: figures ? verdict : 'undecided',
    labels: calibration?.labels ?? 0,
    labelsWorth: figures ? Math.round(figures.labelsWorth) : null,
    judgeBias: {
      difference: figures?.bias.estimate ?? null,
      confidenceInterval: figures?.bias.interval ?? null,
    },
    ...(reason !== undefined && { reason }),
  };
}
