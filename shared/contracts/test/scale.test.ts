import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  defaultThreshold,
  isSameScale,
  isValueOf,
  type OutputType,
  passes,
  type StatedScale,
  scaleDifferences,
  scaleIssues,
  scaleOf,
  scoreValue,
  statedScale,
  valueInWords,
  worstOf,
} from '../scale.ts';
import examples from './scales.json' with { type: 'json' };

describe('the scale of', () => {
  test.each(examples.cases)('$name', (example) => {
    const metric = example.metric as StatedScale;
    const rule = { ...metric, passingThreshold: defaultThreshold(metric) };
    expect(valueInWords(metric)).toBe(example.words);
    expect(rule.passingThreshold).toBe(example.threshold);
    expect(worstOf(metric) ?? null).toBe(example.worst);
    expect(statedScale(metric)).toEqual(example.stated);
    for (const value of example.passing)
      expect([value, passes(rule, value)]).toEqual([value, true]);
    for (const value of example.failing)
      expect([value, passes(rule, value)]).toEqual([value, false]);
    for (const [sent, value] of example.taken) expect(scoreValue(metric, sent)).toBe(value);
    for (const value of example.refused) expect(scoreValue(metric, value)).toBeUndefined();
  });
});

const numbers = fc.double({ noNaN: true, min: -1e6, max: 1e6 });
const scaled = fc
  .record({
    outputType: fc.constantFrom<OutputType>('float', 'int', 'boolean'),
    ends: fc.uniqueArray(fc.integer({ min: -500, max: 500 }), { minLength: 2, maxLength: 2 }),
    lowerIsBetter: fc.boolean(),
  })
  .map(({ outputType, ends, lowerIsBetter }): StatedScale => {
    const [min, max] = ends.toSorted((one, other) => one - other) as [number, number];
    return { outputType, ...(outputType === 'boolean' ? {} : { min, max }), lowerIsBetter };
  });

test('a default threshold lies on the scale, and on the good side of its middle', () => {
  fc.assert(
    fc.property(scaled, (metric) => {
      const threshold = defaultThreshold(metric);
      if (threshold === null) return;
      const { low, high } = scaleOf(metric);
      expect(isValueOf(metric, threshold)).toBe(true);
      const toGood = metric.lowerIsBetter ? high - threshold : threshold - low;
      expect(toGood).toBeGreaterThanOrEqual((high - low) / 2);
    }),
  );
});

test('a value passes exactly where its mirror image passes in the mirrored metric', () => {
  const mirrored = ({ outputType, min, max, lowerIsBetter }: StatedScale): StatedScale => ({
    outputType,
    ...(typeof max === 'number' ? { min: -max } : {}),
    ...(typeof min === 'number' ? { max: -min } : {}),
    lowerIsBetter: !lowerIsBetter,
  });
  fc.assert(
    fc.property(
      scaled.filter(({ outputType }) => outputType !== 'boolean'),
      numbers,
      (metric, value) => {
        const threshold = defaultThreshold({ ...metric, outputType: 'float' });
        const rule = { ...metric, passingThreshold: threshold };
        const mirror = {
          ...mirrored(metric),
          passingThreshold: threshold === null ? null : -threshold,
        };
        expect(passes(mirror, -value)).toBe(passes(rule, value));
      },
    ),
  );
});

test('what is taken is a value of the metric, and every value of it is taken as it is', () => {
  fc.assert(
    fc.property(scaled, fc.oneof(numbers, fc.boolean(), fc.anything()), (metric, value) => {
      const taken = scoreValue(metric, value);
      expect(taken === undefined || isValueOf(metric, taken)).toBe(true);
      if (isValueOf(metric, value) && value !== 0) expect(taken).toBe(value);
    }),
  );
});

test('the form in which a scale is stored says the same', () => {
  fc.assert(
    fc.property(scaled, (metric) => {
      expect(isSameScale({ outputType: metric.outputType, ...statedScale(metric) }, metric)).toBe(
        true,
      );
    }),
  );
});

test('two metrics differ in the members that say another thing, whether or not they are named', () => {
  expect(
    scaleDifferences({ outputType: 'float' }, { outputType: 'float', min: 0, max: 1 }),
  ).toEqual([]);
  expect(
    scaleDifferences(
      { outputType: 'float' },
      { outputType: 'float', max: null, lowerIsBetter: true },
    ),
  ).toEqual([
    { member: 'max', values: [1, null] },
    { member: 'lowerIsBetter', values: [false, true] },
  ]);
});

describe('a metric is refused', () => {
  test.each<[string, Parameters<typeof scaleIssues>[0], string, RegExp]>([
    [
      'whose ends are the wrong way round',
      { outputType: 'float', min: 5, max: 2, passingThreshold: null },
      '/max',
      /leaves no scale: it would go from 5 to 2/,
    ],
    [
      'whose least value is above the usual greatest one',
      { outputType: 'float', min: 3, passingThreshold: null },
      '/min',
      /from 3 to 1/,
    ],
    [
      'of too many whole numbers',
      { outputType: 'int', min: 0, max: 1001, passingThreshold: null },
      '/max',
      /at most 1001 values, and these would be 1002/,
    ],
    [
      'whose threshold is not on the scale',
      { outputType: 'float', min: 0, max: 100, passingThreshold: 101 },
      '/passingThreshold',
      /must be a number from 0 to 100/,
    ],
    [
      'whose threshold is no whole number',
      { outputType: 'int', min: 0, max: 10, passingThreshold: 2.5 },
      '/passingThreshold',
      /must be a whole number from 0 to 10/,
    ],
    [
      'that is a boolean with a threshold',
      { outputType: 'boolean', passingThreshold: 7 },
      '/passingThreshold',
      /must be null/,
    ],
  ])('%s', (_what, metric, path, message) => {
    expect(scaleIssues(metric)).toEqual([{ path, message: expect.stringMatching(message) }]);
  });

  test('and 1,001 whole numbers are taken', () => {
    expect(scaleIssues({ outputType: 'int', min: -500, max: 500, passingThreshold: 0 })).toEqual(
      [],
    );
  });
});
