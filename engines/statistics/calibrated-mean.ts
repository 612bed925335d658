import type { Scale } from './bootstrap.ts';
import { mean } from './describe.ts';
import type { Interval } from './interval.ts';
import {
  type JudgedUnits,
  type LabelledSample,
  type PoweredMean,
  poweredMean,
  sampleOf,
  weightedMean,
} from './prediction-powered.ts';
import { upperProportion } from './proportions.ts';
import { studentQuantile } from './student.ts';
import { roundingSlack } from './units.ts';

interface EstimatedMean {
  estimate: number;
  interval: Interval;
}

export interface CalibratedMean extends EstimatedMean {
  /** Of the test that the mean is 0 to which the interval belongs. */
  pValue: number;
  /**
   * How many labels without a judge, drawn alike and spread like these, would give an interval as
   * wide; as many as there are where all are equal.
   */
  labelsWorth: number;
  /** The mean of all judgements − the estimate. */
  bias: EstimatedMean;
}

interface Bounds {
  level: number;
  /** The least and the greatest value of a unit. */
  scale: Scale;
  /** The largest error that a judgement is taken to have. */
  errorMax: number;
  /** Values of further units that need no label, since judge and people say the same of them. */
  known?: Float64Array;
}

/**
 * The mean that people would have given to all units, by `poweredMean`, with its interval and test,
 * and the judge's bias from the same labels.
 *
 * The quantile is Student's, and the labels' part of the variance has the divisor n − 1, where n
 * counts the labels, or the groups that have labels. Where hardly any label differs from the
 * judgement, the labels do not show how far it errs: then the exact binomial bound of the share of
 * errors is added, as in `bootstrapMean`, at worst `errorMax` in one direction. ADR 38 has the
 * simulations. Of at least two labels.
 */
export function calibratedMean(units: JudgedUnits, bounds: Bounds): CalibratedMean {
  const sample = sampleOf(units);
  const { judged, labelled, unlabelledShare } = sample;
  const stratum = stratumOf(judged.length, bounds.known);
  const errors = errorsOf(sample);
  const powered = poweredMean(sample);
  // The bias is the mean of all judgements − the estimate, so its λ is the rest of the estimate's.
  const biased = poweredMean(errors, unlabelledShare - powered.lambda);
  const clusters = countClusters(sample);
  const rare = [
    { share: unlabelledShare, ...rareOf(errors, clusters) },
    { share: 1 - unlabelledShare, ...rareOf(sample, clusters) },
  ].map((values) => ({ ...values, share: stratum.share * values.share }));
  const reachOf = (variance: number, degrees: number, rare: RareValues[]): Reach =>
    createReach({ variance, degrees, rare, errorMax: bounds.errorMax });
  const poweredReach = ({ judgedVariance, labelledVariance }: PoweredMean, beside: number): Reach =>
    reachOf(
      stratum.share ** 2 * (judgedVariance + labelledVariance * corrected(clusters)) + beside,
      clusters - 1,
      rare,
    );
  const count = labelled.length;
  const spread = spreadOf(sample) * corrected(count);
  const alone = reachOf(spread / count, count - 1, []);
  const reach = poweredReach(powered, stratum.varianceBeside(powered.estimate));
  const chance = 1 - bounds.level;
  const combined = stratum.meanWith(powered.estimate);
  const estimate = within(bounds.scale, combined);
  return {
    estimate,
    interval: intervalOf(combined, reach(chance), bounds),
    pValue: chanceAt(Math.abs(combined), reach),
    labelsWorth: spread === 0 ? count : count * (alone(chance) / reach(chance)) ** 2,
    bias: {
      estimate: stratum.meanWith(mean(judged)!) - estimate,
      // Of the known units judge and people say the same: they add nothing to it.
      interval: intervalOf(stratum.share * biased.estimate, poweredReach(biased, 0)(chance), {
        ...bounds,
        scale: rangeOf(bounds.scale),
      }),
    },
  };
}

/**
 * Known units as a stratum beside those of which people labelled some (Cochran, Sampling techniques,
 * 1977, chapter 5), whose share is that of the sample: testcases drawn anew would have another share,
 * which the variance between the strata tells.
 */
function stratumOf(count: number, known: Float64Array = new Float64Array()) {
  const share = count / (count + known.length);
  const knownMean = mean(known) ?? 0;
  const knownVariance = mean(known.map((value) => (value - knownMean) ** 2)) ?? 0;
  return {
    /** Of the units that are not known. */
    share,
    meanWith: (others: number): number => share * others + (1 - share) * knownMean,
    varianceBeside: (others: number): number =>
      ((1 - share) * (knownVariance + share * (others - knownMean) ** 2)) / (count + known.length),
  };
}

/** The judge's errors in place of the labels. */
const errorsOf = (sample: LabelledSample): LabelledSample => ({
  ...sample,
  labels: sample.labels.map((label, place) => sample.judged[place]! - label),
});

/** The groups that have labels; each label is one by itself where there are no groups. */
const countClusters = ({ groups, labelled }: LabelledSample): number =>
  groups ? new Set(labelled.map((place) => groups[place]!)).size : labelled.length;

/** Makes a divisor n of a variance n − 1. */
const corrected = (count: number): number => count / (count - 1);

/** The labels' variance, with the divisor n. */
function spreadOf(sample: LabelledSample): number {
  const centre = weightedMean(sample, (place) => sample.labels[place]!);
  return weightedMean(sample, (place) => (sample.labels[place]! - centre) ** 2);
}

/** Of labels of which most may have the same value, how many have another. */
interface RareValues {
  /** The share of the units that the labels stand for. */
  share: number;
  trials: number;
  others: number;
}

/**
 * Counted in labels of the largest weight, of which there are fewer: an error may be where labels
 * are least likely. Labels of one group count as if they were independent within the number of
 * groups.
 */
function rareOf(
  { judged, labels, labelled, weights }: LabelledSample,
  clusters: number,
): Omit<RareValues, 'share'> {
  const slack = roundingSlack(judged);
  const weightOf = new Map<number, number>();
  for (const place of labelled) {
    const value = slack === 0 ? labels[place]! : Math.round(labels[place]! / slack);
    weightOf.set(value, (weightOf.get(value) ?? 0) + weights[place]!);
  }
  const largest = labelled.reduce((most, place) => Math.max(most, weights[place]!), 0);
  const counted = clusters / labelled.length / largest;
  const common = Math.max(...weightOf.values());
  return {
    trials: Math.max(1, Math.floor(judged.length * counted + rounding)),
    others: Math.ceil((judged.length - common) * counted - rounding),
  };
}

const rounding = 1e-9;

/** How far an interval reaches to each side at a chance of error. */
type Reach = (chance: number) => number;

/** The largest share of errors is asked for where labels drawn anew might well show none. */
const createReach =
  ({
    variance,
    degrees,
    rare,
    errorMax,
  }: {
    variance: number;
    degrees: number;
    rare: RareValues[];
    errorMax: number;
  }): Reach =>
  (chance) =>
    Math.hypot(
      studentQuantile(1 - chance / 2, degrees) * Math.sqrt(variance),
      ...rare.map(({ share, trials, others }) =>
        Math.exp(-others) > chance
          ? share * errorMax * upperProportion({ successes: others, trials, level: 1 - chance })
          : 0,
      ),
    );

const leastChance = 1e-12;
const bisectionsCount = 60;

/** The least chance of error at which the interval does not reach so far. */
function chanceAt(distance: number, reach: Reach): number {
  let [low, high] = [Math.log(leastChance), 0];
  for (let step = 0; step < bisectionsCount; step++) {
    const middle = (low + high) / 2;
    if (reach(Math.exp(middle)) <= distance) high = middle;
    else low = middle;
  }
  return Math.exp(high);
}

const within = ({ low, high }: Scale, value: number): number =>
  Math.min(high, Math.max(low, value));

const intervalOf = (
  estimate: number,
  reach: number,
  { scale, level }: Pick<Bounds, 'scale' | 'level'>,
): Interval => ({
  low: within(scale, estimate - reach),
  high: within(scale, estimate + reach),
  level,
});

/** How far two values of a scale can be apart. */
const rangeOf = ({ low, high }: Scale): Scale => ({ low: low - high, high: high - low });
