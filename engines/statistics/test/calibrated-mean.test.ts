import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calibratedMean } from '../calibrated-mean.ts';
import { poweredMean, sampleOf } from '../prediction-powered.ts';

const none = Number.NaN;
const unitsOf = (judged: number[], labels: number[], probabilities?: number[]) => ({
  judged: Float64Array.from(judged),
  labels: Float64Array.from(labels),
  ...(probabilities && { probabilities: Float64Array.from(probabilities) }),
});
const times = (count: number, value: number): number[] => Array<number>(count).fill(value);

const judgements = [1, 0, 0, -1, 1, 0, 0, 0, 1, -1, 0, 1, 0, 0, 1, 0, -1, 1, 0, 0];

describe('the prediction-powered mean', () => {
  // ppi_py 0.2.3, with y the labels that are no NaN, L their places, and f the judgements:
  // ppi_mean_pointestimate(y, f[L], f[~L]), and from ppi_mean_ci(y, f[L], f[~L], alpha=0.05) half
  // of its width over scipy.stats.norm.ppf(0.975).
  test.each([
    {
      name: 'a judge of booleans',
      judged: judgements,
      labels: [1, 0, 0, -1, 0, 0, 1, 0, ...times(12, none)],
      estimate: 0.13802083333333331,
      standardError: 0.18665793383319165,
    },
    {
      name: 'labels between the others',
      judged: [0.5, -1, 2, 0, 1, 0, -2, 1, 3, 0, 0, 1, -1, 2, 1.5, 0],
      labels: [none, none, 1, 0, 0, 0.5, -1, none, 2, none, -1, none, none, 1, none, none],
      estimate: 0.11878188775510204,
      standardError: 0.22187682792148297,
    },
    {
      name: 'a judge that is better than λ may say, 1',
      judged: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.2, 0.3, 0.5, 0.4, 0.6, 0.1],
      labels: [0, 0.3, 0.5, 0.9, none, none, 1, ...times(7, none)],
      estimate: 0.6376490351872871,
      standardError: 0.11353119346624996,
    },
    {
      name: 'a judge that says the opposite, and counts nothing',
      judged: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
      labels: [1, 0.9, 0.7, none, none, none],
      estimate: 0.8666666666666666,
      standardError: 0.07200822998230959,
    },
  ])('is that of ppi_py: $name', ({ judged, labels, estimate, standardError }) => {
    const powered = poweredMean(sampleOf(unitsOf(judged, labels)));
    expect(Math.abs(powered.estimate - estimate)).toBeLessThan(1e-12);
    const variance = powered.judgedVariance + powered.labelledVariance;
    expect(Math.abs(Math.sqrt(variance) - standardError)).toBeLessThan(1e-9);
  });

  // The definition, in numpy: w = 1/π of the labels, scaled to add up to N; β = Σ w (y − ȳ)(f − f̄) /
  // N / f.var(ddof=1); each unit adds β (f − mean f) + w (y − β f − their weighted mean).
  test('weights labels with the inverse of the probability with which they were drawn', () => {
    const labels = times(20, none);
    const given: [number, number][] = [
      [0, 1],
      [1, 0],
      [3, -1],
      [4, 0],
      [6, 1],
      [8, 1],
      [9, -1],
      [12, 0],
    ];
    for (const [place, label] of given) labels[place] = label;
    const probabilities = judgements.map((value) => (value === 0 ? 0.2 : 0.6));
    const powered = poweredMean(sampleOf(unitsOf(judgements, labels, probabilities)));
    expect(powered.lambda).toBeCloseTo(0.3605442176870748, 12);
    expect(powered.estimate).toBeCloseTo(0.2614998380304503, 12);
    expect(powered.judgedVariance).toBeCloseTo(0.003312993942853028, 12);
    expect(powered.labelledVariance).toBeCloseTo(0.04906130023470385, 12);
  });

  test('is the mean of the labels where all are labelled, whatever the judge says', () => {
    const powered = poweredMean(sampleOf(unitsOf([1, 0, 1, 1], [0, 0, 1, 0])));
    expect(powered).toMatchObject({ estimate: 0.25, judgedVariance: 0 });
    expect(powered.labelledVariance).toBeCloseTo(0.1875 / 4, 12);
  });

  test('counts the units of a group once: of pairs of equal units it has the variance of single ones', () => {
    const judged = judgements;
    const labels = [1, 0, 0, -1, 0, 0, 1, 0, ...times(12, none)];
    const single = poweredMean(sampleOf(unitsOf(judged, labels)), 0.5);
    const twice = <Value>(values: Value[]): Value[] => values.flatMap((value) => [value, value]);
    const paired = poweredMean(
      sampleOf({
        ...unitsOf(twice(judged), twice(labels)),
        groups: Int32Array.from(twice(judged.map((_, place) => place))),
      }),
      0.5,
    );
    expect(paired.estimate).toBeCloseTo(single.estimate, 12);
    expect(paired.judgedVariance).toBeCloseTo(single.judgedVariance, 12);
    expect(paired.labelledVariance).toBeCloseTo(single.labelledVariance, 12);
  });
});

const bounds = { level: 0.95, scale: { low: -1, high: 1 }, errorMax: 1 };

/** Units of which a judge finds most changes, and people labelled the first. */
function mixed(labelled: number, units = 400) {
  const labels = Array.from({ length: units }, (_, place) => [1, 0, 0, -1, 0, 0, 0, 1][place % 8]!);
  const judged = labels.map((label, place) => (place % 5 === 0 ? 0 : label));
  return unitsOf(
    judged,
    labels.map((label, place) => (place < labelled ? label : none)),
  );
}

describe('the calibrated mean', () => {
  test('has the interval of its test: it leaves out 0 at the levels of which p is at most the rest', () => {
    const { pValue } = calibratedMean(mixed(60), bounds);
    const leavesOutZero = [0.6, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999].map((level) => ({
      level,
      isDecided: calibratedMean(mixed(60), { ...bounds, level }).interval.low > 0,
    }));
    expect(new Set(leavesOutZero.map(({ isDecided }) => isDecided)).size).toBe(2);
    for (const { level, isDecided } of leavesOutZero) expect(isDecided).toBe(pValue <= 1 - level);
  });

  // scipy.stats.t.ppf(0.975, 59) = 2.0009953781
  test("has Student's quantile, and the labels' part of the variance with the divisor n − 1", () => {
    const units = mixed(60);
    const { interval, estimate } = calibratedMean(units, bounds);
    const { judgedVariance, labelledVariance } = poweredMean(sampleOf(units));
    const reach = 2.0009953781 * Math.sqrt(judgedVariance + (labelledVariance * 60) / 59);
    expect(interval.high - estimate).toBeCloseTo(reach, 8);
  });

  test('leaves the judge a bias that is its own mean less the estimate', () => {
    const units = mixed(60);
    const { estimate, bias } = calibratedMean(units, bounds);
    const judged = units.judged.reduce((sum, value) => sum + value, 0) / units.judged.length;
    expect(bias.estimate).toBeCloseTo(judged - estimate, 12);
    expect((bias.interval.low + bias.interval.high) / 2).toBeCloseTo(bias.estimate, 9);
  });

  test('is worth more labels than there are where the judge is good, and as many where it says nothing', () => {
    expect(calibratedMean(mixed(60), bounds).labelsWorth).toBeGreaterThan(90);
    const { judged, labels } = mixed(60);
    const silent = { judged: judged.map(() => 0), labels };
    expect(calibratedMean(silent, bounds).labelsWorth).toBeCloseTo(60, 9);
  });

  // 1 − 0.025^(1 / 50): the upper end of the exact interval of 0 in 50.
  test('keeps the errors in sight that 50 labels may have missed', () => {
    const agreed = unitsOf(
      times(100_000, 0),
      times(100_000, none).map((label, place) => (place < 50 ? 0 : label)),
    );
    const { interval, pValue, bias } = calibratedMean(agreed, bounds);
    expect(interval.high).toBeCloseTo((1 - 0.025 ** (1 / 50)) * (1 - 50 / 100_000), 3);
    expect(interval.low).toBe(-interval.high);
    expect(bias.interval.high).toBeCloseTo(interval.high, 3);
    expect(pValue).toBe(1);
  });

  test('says the mirror image of labels and judgements that are mirrored, and stays on the scale', () => {
    const value = fc.constantFrom(-1, -0.5, 0, 0.5, 1);
    const pairs = fc.array(fc.tuple(value, fc.option(value, { nil: none })), { minLength: 3 });
    fc.assert(
      fc.property(pairs, (drawn) => {
        const [judged, labels] = [drawn.map(([each]) => each), drawn.map(([, each]) => each)];
        fc.pre(labels.filter((label) => !Number.isNaN(label)).length >= 2);
        const one = calibratedMean(unitsOf(judged, labels), bounds);
        const other = calibratedMean(
          unitsOf(
            judged.map((each) => -each),
            labels.map((each) => -each),
          ),
          bounds,
        );
        expect(other.estimate).toBeCloseTo(-one.estimate, 9);
        expect(other.interval.low).toBeCloseTo(-one.interval.high, 9);
        expect(other.pValue).toBeCloseTo(one.pValue, 9);
        expect(one.interval.low).toBeGreaterThanOrEqual(-1);
        expect(one.interval.high).toBeLessThanOrEqual(1);
        expect(one.interval.low).toBeLessThanOrEqual(one.estimate);
        expect(one.interval.high).toBeGreaterThanOrEqual(one.estimate);
        expect(one.pValue).toBeGreaterThan(0);
        expect(one.pValue).toBeLessThanOrEqual(1);
        expect(one.labelsWorth).not.toBeNaN();
      }),
    );
  });
});
