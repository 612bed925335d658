import {
  type ComparedMetric,
  change,
  changes,
  countOf,
  decidingFigures,
  probability,
  recordsOf,
  size,
  type Unit,
  unitOf,
} from './figures.ts';

/** The beginning of each sentence on a verdict that a judge gave without people. */
export const judgeAlone = 'By the judge alone.';

/**
 * The result of a comparison for one metric, whole: "Worse: the candidate is 4.3 points lower (95 %
 * interval 7.1 to 1.5 lower; adjusted p 0.0027; 1,319 pairs)." `candidate` names the candidate.
 */
export function verdictSentence(metric: ComparedMetric, candidate: string): string {
  const { decidedBy } = decidingFigures(metric);
  const sentence = withoutJudge(metric, candidate);
  return decidedBy === 'judge' ? `${judgeAlone} ${sentence}` : sentence;
}

function withoutJudge(metric: ComparedMetric, candidate: string): string {
  const { verdict, difference, confidenceInterval, adjustedPValue, decidedBy } =
    decidingFigures(metric);
  if (difference === null || confidenceInterval === null) return `Undecided: ${whyNothing(metric)}`;
  const unit = unitOf(metric);
  const { low, high, level } = confidenceInterval;
  const isOneSided = low * high >= 0 && verdict !== 'undecided';
  const direction = difference > 0 ? 'higher' : 'lower';
  const interval = isOneSided
    ? `${size(unit, low, confidenceInterval)} to ${size(unit, high, confidenceInterval)} ${direction}`
    : changes(unit, confidenceInterval);
  const p = adjustedPValue === null ? '' : `; adjusted p ${probability(adjustedPValue)}`;
  const people =
    decidedBy === 'people'
      ? `, going by people's scores of ${countOf(metric.calibrated!.labels, 'testcase')}`
      : '';
  const about = `(${Number((100 * level).toPrecision(6))} % interval ${interval}${p}; ${pairsOf(metric)})${people}.`;
  if (verdict === 'undecided')
    return `Undecided: ${candidate} is ${change(unit, difference, confidenceInterval)}${pointsOf(unit)} ${about}${detectableOf(metric, unit)}`;
  const meaning = metric.lowerIsBetter ? `, which is ${verdict}` : '';
  return `${verdict === 'better' ? 'Better' : 'Worse'}: ${candidate} is ${size(unit, difference, confidenceInterval)}${pointsOf(unit)} ${direction}${meaning} ${about}`;
}

const pointsOf = (unit: Unit): string => (unit === 'boolean' ? ' points' : '');

/** Why there is no interval: so few pairs, or groups of them, or pairs that are too much alike. */
function whyNothing({ paired, numGroups, warnings = [] }: ComparedMetric): string {
  const count = numGroups ?? paired;
  const units = countOf(count, numGroups === undefined ? 'pair' : 'group');
  if (count < 2) return `${units} ${count === 1 ? 'is' : 'are'} too few to say anything.`;
  return warnings.some(({ code }) => code === 'limits_differ')
    ? `without the errors by a provider's limits, too few of the ${units} are left.`
    : `nearly all of the ${units} have the same difference, and nothing bounds what others could have, so that there is no interval.`;
}

function pairsOf(metric: ComparedMetric): string {
  const pairs = countOf(metric.paired, 'pair');
  const records = recordsOf(metric);
  return records.length === 0 ? pairs : `${pairs} with ${records.join(' and ')} records a testcase`;
}

/** The difference that so many pairs would have found: people's labels have another reach. */
function detectableOf(metric: ComparedMetric, unit: Unit): string {
  const { minimumDetectableDifference: detectable } = metric;
  if (detectable === null || decidingFigures(metric).decidedBy === 'people') return '';
  return ` These ${countOf(metric.paired, 'pair')} could have found a difference of ${size(unit, detectable)}${pointsOf(unit)}.`;
}
