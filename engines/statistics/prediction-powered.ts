import { mean } from './describe.ts';
import { roundingSlack } from './units.ts';

/**
 * A judge's values of units, and people's values of some of them. `labels` is NaN where
 * nobody labelled; `probabilities` are those with which the labelled ones were drawn, left out
 * where all were drawn alike. Units of one group are not independent.
 */
export interface JudgedUnits {
  judged: Float64Array;
  labels: Float64Array;
  probabilities?: Float64Array | undefined;
  groups?: Int32Array | undefined;
}

/** Judged units with the weights of their labels. */
export interface LabelledSample extends Omit<JudgedUnits, 'probabilities'> {
  /** The places of the labels. */
  labelled: number[];
  /** For how many units each label stands; they add up to all units. */
  weights: Float64Array;
  /** Where all labels have one weight, these and the others are two samples of one population. */
  isAlike: boolean;
  /** The share of the units that only the judge scored. */
  unlabelledShare: number;
}

/**
 * Labels of unequal probability are weighted with the inverse of it (Horvitz and Thompson, JASA 47,
 * 1952), and the weights are scaled to add up to the units, as in Hájek's estimator.
 */
export function sampleOf({ judged, labels, probabilities, groups }: JudgedUnits): LabelledSample {
  const labelled = [...labels.keys()].filter((place) => !Number.isNaN(labels[place]!));
  const inverse = labelled.map((place) => 1 / (probabilities?.[place] ?? 1));
  const total = inverse.reduce((sum, weight) => sum + weight, 0);
  const weights = new Float64Array(judged.length);
  labelled.forEach((place, rank) => {
    weights[place] = (inverse[rank]! / total) * judged.length;
  });
  return {
    judged,
    labels,
    groups,
    labelled,
    weights,
    isAlike: inverse.every((weight) => weight === inverse[0]),
    unlabelledShare: (judged.length - labelled.length) / judged.length,
  };
}

export interface PoweredMean {
  /** The mean that people would have given to all units. */
  estimate: number;
  /** How much the judge counts, from 0 to 1: λ of the paper. */
  lambda: number;
  /** The part of the estimate's variance that comes from units that only the judge scored. */
  judgedVariance: number;
  /** The part that comes from the labels, with the divisor n. */
  labelledVariance: number;
}

/**
 * The mean of labels with the help of a judge: PPI++ (Angelopoulos, Duchi and Zrnic, PPI++:
 * Efficient prediction-powered inference, arXiv 2311.01453, 2023) for a mean, with the λ of least
 * variance, clipped to [0, 1], unless one is given. The labelled units are among the judged ones.
 *
 * The estimate is `factor` · the mean of all judgements + the weighted mean of the labels' rests,
 * label − factor · judgement, where factor · the share that only the judge scored is λ: that is λ ·
 * the mean of those + the mean of label − λ · judgement. The variance is that of the sum of
 * the parts that units add, by group, where for labels of one weight the labelled units and the others vary
 * about their own means: then it is that of the paper. Of at least two labels.
 */
export function poweredMean(sample: LabelledSample, lambda = lambdaOf(sample)): PoweredMean {
  const { judged, labels, labelled, weights, isAlike, unlabelledShare } = sample;
  const count = judged.length;
  const factor = unlabelledShare === 0 ? 0 : lambda / unlabelledShare;
  const rest = (place: number): number => labels[place]! - factor * judged[place]!;
  const restMean = weightedMean(sample, rest);
  const all = mean(judged)!;
  const ofLabelled = mean(labelled.map((place) => judged[place]!))!;
  const ofOthers =
    unlabelledShare === 0 ? all : (all - ofLabelled * (1 - unlabelledShare)) / unlabelledShare;
  const added = judged.map((value, place) => {
    const weight = weights[place]!;
    if (weight === 0) return factor * (value - (isAlike ? ofOthers : all));
    return factor * (value - (isAlike ? ofLabelled : all)) + weight * (rest(place) - restMean);
  });
  const squares = squaresOf(added, sample);
  return {
    estimate: factor * all + restMean,
    lambda,
    judgedVariance: squares.others / count ** 2,
    labelledVariance: squares.labelled / count ** 2,
  };
}

/**
 * The slope of labels on judgements, their covariance among the labels over the judge's variance
 * among all, times the share that only the judge scored.
 */
function lambdaOf(sample: LabelledSample): number {
  const { judged, labels, labelled, weights, unlabelledShare } = sample;
  const centre = mean(judged)!;
  const squares = judged.reduce((sum, value) => sum + (value - centre) ** 2, 0);
  if (squares <= roundingSlack(judged) ** 2) return 0;
  const label = weightedMean(sample, (place) => labels[place]!);
  const judgement = weightedMean(sample, (place) => judged[place]!);
  let products = 0;
  for (const place of labelled)
    products += weights[place]! * (labels[place]! - label) * (judged[place]! - judgement);
  const slope = products / judged.length / (squares / (judged.length - 1));
  return Math.min(1, Math.max(0, slope * unlabelledShare));
}

/** The mean of values of labelled units, as an estimate of that of all units. */
export function weightedMean(
  { judged, labelled, weights }: LabelledSample,
  quantity: (place: number) => number,
): number {
  let sum = 0;
  for (const place of labelled) sum += weights[place]! * quantity(place);
  return sum / judged.length;
}

/** Σ squares of the groups' sums, of those that have labels and of the others. */
function squaresOf(values: Float64Array, { groups, weights }: LabelledSample) {
  const sums = new Map<number, { sum: number; isLabelled: boolean }>();
  values.forEach((value, place) => {
    const key = groups ? groups[place]! : place;
    const group = sums.get(key) ?? { sum: 0, isLabelled: false };
    group.sum += value;
    group.isLabelled ||= weights[place]! > 0;
    sums.set(key, group);
  });
  const squares = { labelled: 0, others: 0 };
  for (const { sum, isLabelled } of sums.values())
    squares[isLabelled ? 'labelled' : 'others'] += sum * sum;
  return squares;
}
