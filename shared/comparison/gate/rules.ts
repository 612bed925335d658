import type { PassBounds } from '@assay/contracts/results';
import {
  changes,
  decidingFigures,
  lossOf,
  type MetricComparison,
  size,
  unitOf,
} from '../figures.ts';
import { verdictSentence } from '../sentence.ts';
import { type Limits, rounding, type Voice } from './limits.ts';
import { judgePassRate, shortened } from './pass-rate.ts';
import { exceededOf, hasUnknown, lackingSentence } from './unknown.ts';

/** Better or undecided within the limits, worse, or neither can be said. */
export type Outcome = 'passed' | 'worse' | 'unknown';

export interface Finding {
  outcome: Outcome;
  /** Sentences why the metric does not pass; none where it does. */
  reasons: string[];
  /** Sentences that a reader should know, and that change nothing. */
  remarks: string[];
  /** The same of scores that nobody knows. */
  lacking: string[];
}

/** A metric of the comparison, and everything that its rules go by. */
export interface Situation {
  metric: MetricComparison;
  /** The same with its unknown scores, and those of the others, counted against the candidate. */
  filled?: MetricComparison | undefined;
  /** The candidate's, over all testcases that it expects. */
  passBounds: PassBounds | null | undefined;
  limits: Limits;
  /**
   * Whether scores have to be there: those of people only where their metric is named. Without, all
   * that would be in the way is a remark.
   */
  isHeld: boolean;
  voice: Voice;
}

/**
 * The rules for one metric (contract section 5, The gate). The figures of a judge are those that
 * people's labels corrected, where there are enough; but its pass rate is its own. `worse`: the
 * verdict says so, the candidate's pass rate is below its limit, or the difference itself is a
 * larger regression than is allowed. An interval that only reaches past that limit is a remark: it
 * tells of too few testcases, not of a worse candidate. `unknown`: the test could not be made, there
 * is no pass rate to hold against the limit, or unknown scores could turn the result.
 */
export function judge(situation: Situation): Finding {
  const { metric, isHeld } = situation;
  const passRate = passRateOf(situation);
  const [rateAgainst, rateInTheWay] = ['worse', 'unknown'].map((outcome) =>
    passRate.outcome === outcome && passRate.reason !== undefined ? [passRate.reason] : [],
  ) as [string[], string[]];
  const [verdict, regression] = againstIt(metric, situation);
  const against = [...verdict, ...rateAgainst, ...regression];
  const unknown = judgeUnknown(situation);
  const inTheWay = [...pairsReason(metric), ...rateInTheWay, ...unknown.reasons];
  const blocking = isHeld ? inTheWay : [];
  return {
    outcome: against.length > 0 ? 'worse' : blocking.length > 0 ? 'unknown' : 'passed',
    reasons: [...against, ...blocking],
    remarks: [...remarksOf(situation), ...(isHeld ? [] : inTheWay)],
    lacking: unknown.lacking,
  };
}

/** Latency, tokens and cost have no pass rate: no limit of one is meant for them. */
function passRateOf({ metric, passBounds, limits, voice }: Situation) {
  if (unitOf(metric) === 'measured') return { outcome: 'passed' as const, reason: undefined };
  const isAllowed =
    metric.unknownScores !== undefined &&
    exceededOf(metric.unknownScores, limits, voice)?.length === 0;
  const finding = judgePassRate(passBounds, { limits, isAllowed, voice });
  return { outcome: finding.outcome, reason: finding.reason };
}

/** The reasons of the verdict, and those of the difference. */
function againstIt(
  metric: MetricComparison,
  { limits, voice }: Pick<Situation, 'limits' | 'voice'>,
): [string[], string[]] {
  return [
    decidingFigures(metric).verdict === 'worse' ? [verdictSentence(metric, voice.candidate)] : [],
    regressionReason(metric, { limits, voice }),
  ];
}

function regressionReason(
  metric: MetricComparison,
  { limits: { maxRegression: limit }, voice }: Pick<Situation, 'limits' | 'voice'>,
): string[] {
  const loss = lossIn(metric);
  if (limit === undefined || loss === null || loss <= limit + rounding) return [];
  const { candidate, options } = voice;
  return [
    `${candidate} is ${shortened(loss)} ${metric.lowerIsBetter ? 'higher' : 'lower'}, and ${options.maxRegression} allows ${limit}.`,
  ];
}

function lossIn(metric: MetricComparison): number | null {
  const { difference } = decidingFigures(metric);
  return difference === null ? null : lossOf(metric, difference);
}

function pairsReason({ paired, numGroups, pValue, adjustedPValue }: MetricComparison): string[] {
  if (paired < 2)
    return [
      `${paired === 0 ? 'no testcase has' : 'only one testcase has'} a score in both runs, and a comparison needs two.`,
    ];
  if (numGroups !== undefined && numGroups < 2)
    return ['all testcases are of one group, and a comparison needs two.'];
  return pValue === null || adjustedPValue === null ? ['the comparison has no p-value.'] : [];
}

/** Whether the scores that nobody knows could hide a regression. */
function judgeUnknown(situation: Situation): Pick<Finding, 'reasons' | 'lacking'> {
  const { metric, filled, limits, voice } = situation;
  const { unknownScores: unknown } = metric;
  const isLacking = unknown !== undefined && hasUnknown(metric);
  const said = isLacking ? lackingSentence(unknown) : '';
  const remark = (text: string) => ({ reasons: [], lacking: isLacking ? [text] : [] });
  const refusal = (...reasons: string[]) => ({ reasons, lacking: [] });
  if (limits.allowMissing !== undefined) {
    const exceeded = isLacking ? exceededOf(unknown, limits, voice)! : [];
    return exceeded.length > 0
      ? refusal(...exceeded)
      : remark(`${said}, as ${voice.options.allowMissing} allows.`);
  }
  if (!filled) return remark(`${said}.`);
  if (isLacking && filled.unknownScores?.areFilledIn === false)
    return refusal(`${said}, and its scale has no end that they could count as.`);
  const [why] = againstIt(filled, situation).flat();
  if (why === undefined) return remark(`${said}. They cannot turn the result.`);
  const isWorseWithout = againstIt(metric, situation).flat().length > 0;
  if (isWorseWithout) return remark(`${said}.`);
  const whose = isLacking ? said : 'other metrics lack scores';
  return refusal(`${whose}. If they spoke against ${voice.candidate}: ${why}`);
}

function* remarksOf({ metric, limits: { maxRegression: limit } }: Situation) {
  const { confidenceInterval } = decidingFigures(metric);
  const loss = lossIn(metric);
  const [worst, reaches] = metric.lowerIsBetter
    ? [confidenceInterval?.high, 'up']
    : [confidenceInterval?.low, 'down'];
  const isWithin = limit !== undefined && loss !== null && loss <= limit + rounding;
  if (isWithin && worst !== undefined && lossOf(metric, worst) > limit + rounding)
    yield `a regression of more than ${limit} cannot be excluded: the interval reaches ${reaches} to ${shortened(worst)}.`;
  yield* judgeRemarks(metric);
  for (const { message } of metric.warnings ?? []) yield message;
}

/** Why a judge is not corrected, or what it says alone and whom it favours. */
function* judgeRemarks(metric: MetricComparison) {
  const { verdict, calibrated } = metric;
  if (!calibrated) return;
  const { difference, confidenceInterval } = calibrated.judgeBias;
  if (difference === null || confidenceInterval === null) {
    if (calibrated.reason !== undefined) yield calibrated.reason;
    return;
  }
  const unit = unitOf(metric);
  yield `the verdict is corrected by people's scores of ${calibrated.labels} testcases. The judge alone says ${verdict}, and is too kind to the ${difference < 0 ? 'baseline' : 'candidate'} by ${size(unit, difference, confidenceInterval)} (${changes(unit, confidenceInterval)}).`;
}
