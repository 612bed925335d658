import { expectedThreshold, inclusionProbability } from './priority-sample.ts';
import { studentQuantile } from './student.ts';

/** A unit that people labelled. */
export interface LabelledUnit {
  judged: number;
  people: number;
  weight: number;
  /** With which it was labelled. */
  probability: number;
}

/** The units that the judge scored, and the labels among them. */
export interface LabelState {
  judged: ArrayLike<number>;
  /** How much likelier each unit is drawn than one with the weight 1. */
  weights: ArrayLike<number>;
  labelled: readonly LabelledUnit[];
  /** The mean squared difference of people and judge to be assumed as long as nothing is known. */
  assumedError: number;
  level?: number;
}

/** Fewer labels than this say too little of how far the judge errs. */
const labelsMin = 5;

/**
 * How far the interval of a mean reaches to each side, and would with more labels, where a judge
 * scored all units and people some, drawn by `drawByPriority`. The variance of a difference
 * estimator from a Poisson sample (Särndal, Swensson and Wretman, Model Assisted Survey Sampling,
 * 1992, results 5.5 and 6.3): Σ (1 − p) / p² · rest², over the labels, for the units that people did
 * not score, and the variance of people's values / units, for the units being a sample themselves.
 * `rest` is people's value less the judge's part of it by least squares. The units' own numbers of
 * probabilities follow from the labels' number: so many drawn on average. Below five labels the
 * rests are assumed.
 */
export function labelPlan(
  { judged, weights, labelled, assumedError, level = 0.95 }: LabelState,
  more: number,
): { now: number | null; withMore: number | null } {
  const count = judged.length;
  if (count < 2) return { now: null, withMore: null };
  const isKnown = labelled.length >= labelsMin;
  const spread = isKnown ? spreadOf(labelled) : assumedSpread(judged, assumedError);
  const reach = (variance: number, labels: number): number | null =>
    labels < 2
      ? null
      : studentQuantile((1 + level) / 2, labels - 1) * Math.sqrt(variance + spread.people / count);
  const wanted = Math.min(count, labelled.length + more);
  const threshold = expectedThreshold(weights, wanted);
  return {
    now: isKnown
      ? reach(
          labelled.reduce(
            (sum, { probability }, place) =>
              sum + ((1 - probability) / probability ** 2) * spread.rests![place]!,
            0,
          ) /
            count ** 2,
          labelled.length,
        )
      : null,
    withMore: reach(
      isKnown
        ? labelled.reduce((sum, { weight, probability }, place) => {
            const chance = inclusionProbability(weight, threshold);
            return sum + ((1 / chance - 1) / probability) * spread.rests![place]!;
          }, 0) /
            count ** 2
        : Array.from(weights).reduce(
            (sum, weight) => sum + (1 / inclusionProbability(weight, threshold) - 1) * assumedError,
            0,
          ) /
            count ** 2,
      wanted,
    ),
  };
}

interface Spread {
  /** The variance of people's values. */
  people: number;
  /** The squared rest of each label; undefined where it is assumed. */
  rests?: number[];
}

function spreadOf(labelled: readonly LabelledUnit[]): Spread {
  const total = labelled.reduce((sum, { probability }) => sum + 1 / probability, 0);
  const weighted = (partOf: (unit: LabelledUnit) => number): number =>
    labelled.reduce((sum, unit) => sum + partOf(unit) / unit.probability, 0) / total;
  const [judgedMean, peopleMean] = [
    weighted(({ judged }) => judged),
    weighted(({ people }) => people),
  ];
  const squares = weighted(({ judged }) => (judged - judgedMean) ** 2);
  const products = weighted(({ judged, people }) => (judged - judgedMean) * (people - peopleMean));
  const slope = squares === 0 ? 0 : Math.min(1, Math.max(0, products / squares));
  const divisor = labelled.length / (labelled.length - 1);
  return {
    people: divisor * weighted(({ people }) => (people - peopleMean) ** 2),
    rests: labelled.map(
      ({ judged, people }) => divisor * (people - peopleMean - slope * (judged - judgedMean)) ** 2,
    ),
  };
}

function assumedSpread(judged: ArrayLike<number>, assumedError: number): Spread {
  const values = Array.from(judged);
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { people: Math.max(assumedError, squares / (values.length - 1)) };
}
