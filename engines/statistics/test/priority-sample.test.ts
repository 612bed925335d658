import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type LabelledUnit, labelPlan } from '../label-plan.ts';
import { drawByPriority, expectedThreshold, inclusionProbability } from '../priority-sample.ts';
import { createRandom } from '../random.ts';

const random = createRandom({ seed: 11 });
const population = Array.from({ length: 60 }, (_, place) => ({
  weight: place % 4 === 0 ? 3 : 1,
  value: (place % 7) - (place % 4 === 0 ? 2 : 0),
}));
const total = population.reduce((sum, { value }) => sum + value, 0);
const numbered = () =>
  population.map(({ weight }, place) => ({ place, weight, random: random.uniform() }));

/** The mean of the estimates of the total over many draws, and its standard error. */
function estimates(drawOnce: () => Map<number, number>) {
  const values = Array.from({ length: 4000 }, () => {
    let sum = 0;
    for (const [place, probability] of drawOnce()) sum += population[place]!.value / probability;
    return sum;
  });
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
  return { mean, error: Math.sqrt(variance / values.length) };
}

/** Draws more of the rest, and returns the probabilities of all that are drawn. */
function drawMore(
  units: { place: number; weight: number; random: number }[],
  drawn: Map<number, number>,
  count: number,
): Map<number, number> {
  const rest = units.filter(({ place }) => !drawn.has(place));
  const { places, threshold } = drawByPriority(rest, count);
  const all = [...drawn.keys(), ...places.map((at) => rest[at]!.place)];
  const weightOf = new Map(units.map(({ place, weight }) => [place, weight]));
  return new Map(
    all.map((place) => [
      place,
      Math.max(drawn.get(place) ?? 0, inclusionProbability(weightOf.get(place)!, threshold)),
    ]),
  );
}

describe('a draw with known probabilities', () => {
  test('takes those of the least random / weight, and tells the threshold', () => {
    const candidates = [
      { random: 0.6, weight: 3 },
      { random: 0.3, weight: 1 },
      { random: 0.1, weight: 1 },
      { random: 0.9, weight: 1 },
    ];
    expect(drawByPriority(candidates, 2)).toEqual({ places: [2, 0], threshold: 0.3 });
    expect(drawByPriority(candidates, 4).threshold).toBe(Infinity);
    expect([inclusionProbability(3, 0.3), inclusionProbability(3, Infinity)]).toEqual([
      expect.closeTo(0.9, 12),
      1,
    ]);
  });

  test('goes on where the one before ended: two draws have what one large draw has', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 40 }), (one, more) => {
        const units = numbered();
        const twice = drawMore(units, drawMore(units, new Map(), one), more);
        expect(twice).toEqual(drawMore(units, new Map(), one + more));
      }),
    );
  });

  test('is without bias: inverse probabilities add up to the total, on average', () => {
    const { mean, error } = estimates(() => drawMore(numbered(), new Map(), 12));
    expect(Math.abs(mean - total)).toBeLessThan(4 * error);
  });

  test('for two runs has labels on both sides with the least of their probabilities, and on either with the greatest', () => {
    // The second purpose has weights of its own, and the same random numbers.
    const both = (bound: typeof Math.min) =>
      estimates(() => {
        const units = numbered();
        const other = units.map((unit) => ({ ...unit, weight: unit.place % 5 === 0 ? 3 : 1 }));
        const [first, second] = [drawMore(units, new Map(), 20), drawMore(other, new Map(), 30)];
        const inclusion = (drawn: Map<number, number>, rest: typeof units, place: number) => {
          const known = drawn.get(place);
          if (known !== undefined) return known;
          const threshold = Math.min(
            ...rest
              .filter((unit) => !drawn.has(unit.place))
              .map((unit) => unit.random / unit.weight),
          );
          return inclusionProbability(rest[place]!.weight, threshold);
        };
        const isWanted = (place: number) =>
          bound === Math.min
            ? first.has(place) && second.has(place)
            : first.has(place) || second.has(place);
        return new Map(
          units
            .filter(({ place }) => isWanted(place))
            .map(({ place }) => [
              place,
              bound(inclusion(first, units, place), inclusion(second, other, place)),
            ]),
        );
      });
    for (const { mean, error } of [both(Math.min), both(Math.max)])
      expect(Math.abs(mean - total)).toBeLessThan(4 * error);
  });

  test('has as many units on average as its threshold says', () => {
    const weights = population.map(({ weight }) => weight);
    for (const count of [1, 10, 30, 59]) {
      const threshold = expectedThreshold(weights, count);
      const expected = weights.reduce((sum, w) => sum + inclusionProbability(w, threshold), 0);
      expect(expected).toBeCloseTo(count, 9);
    }
    expect(expectedThreshold(weights, 60)).toBe(Infinity);
  });
});

describe('the reach of an interval with more labels', () => {
  const size = 600;

  /** A judge that errs in three of ten units, and people's labels of some. */
  function world(labels: number) {
    const people = Array.from({ length: size }, (): number =>
      random.uniform() < 0.7 ? 0 : random.uniform() < 0.6 ? 1 : -1,
    );
    const judged = people.map((value) =>
      random.uniform() < 0.7 ? value : random.uniform() < 0.5 ? 0 : 1,
    );
    const weights = judged.map((value) => (value === 0 ? 1 : 3));
    const units = judged.map((_, place) => ({
      place,
      weight: weights[place]!,
      random: random.uniform(),
    }));
    const labelled = [...drawMore(units, new Map(), labels)].map(
      ([place, probability]): LabelledUnit => ({
        judged: judged[place]!,
        people: people[place]!,
        weight: weights[place]!,
        probability,
      }),
    );
    return { people, judged, weights, labelled };
  }

  /** The difference estimator of the mean, with the judge's part as it is. */
  function estimateOf({ judged, labelled }: ReturnType<typeof world>): number {
    const weight = labelled.reduce((sum, { probability }) => sum + 1 / probability, 0);
    const rest = labelled.reduce(
      (sum, unit) => sum + (unit.people - 0.6 * unit.judged) / unit.probability,
      0,
    );
    return (0.6 * judged.reduce((sum, value) => sum + value, 0)) / size + rest / weight;
  }

  test('is that of simulated labels, now and with 40 more', () => {
    const truth = 0.3 * 0.2;
    const planned = Array.from({ length: 150 }, () =>
      labelPlan({ ...world(60), assumedError: 0.3 }, 40),
    );
    const meanOf = (key: 'now' | 'withMore') =>
      planned.reduce((sum, plan) => sum + plan[key]!, 0) / planned.length;
    const reachOf = (labels: number) => {
      const squares = Array.from(
        { length: 600 },
        () => (estimateOf(world(labels)) - truth) ** 2,
      ).reduce((sum, square) => sum + square, 0);
      return 1.98 * Math.sqrt(squares / 600);
    };
    expect(meanOf('now') / reachOf(60)).toBeGreaterThan(0.9);
    expect(meanOf('now') / reachOf(60)).toBeLessThan(1.1);
    expect(meanOf('withMore') / reachOf(100)).toBeGreaterThan(0.9);
    expect(meanOf('withMore') / reachOf(100)).toBeLessThan(1.1);
  });

  test('is assumed as long as there are few labels, and ends at what the units themselves allow', () => {
    const { judged, weights, people } = world(0);
    const plan = labelPlan({ judged, weights, labelled: [], assumedError: 0.3 }, 20);
    expect(plan.now).toBeNull();
    expect(plan.withMore).toBeGreaterThan(0.1);
    const all = judged.map((value, place) => ({
      judged: value,
      people: people[place]!,
      weight: weights[place]!,
      probability: 1,
    }));
    const { now, withMore } = labelPlan({ judged, weights, labelled: all, assumedError: 0.3 }, 20);
    expect(now).toBe(withMore);
    expect(labelPlan({ judged: [1], weights: [1], labelled: [], assumedError: 1 }, 20)).toEqual({
      now: null,
      withMore: null,
    });
  });
});
