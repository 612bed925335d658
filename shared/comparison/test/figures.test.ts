import fc from 'fast-check';
import { expect, test } from 'vitest';
import { change, changes, figure, lossOf, probability, size, unitOf } from '../figures.ts';
import losses from './losses.json' with { type: 'json' };

test.each([
  [change('boolean', -0.0432), '−4.3'],
  [change('boolean', -0.0001), '−0.010'],
  [change('boolean', -0.001), '−0.1'],
  [change('float', 0.0004), '+0.00040'],
  [change('float', 0.00096, { low: 0, high: 0.206 }), '+0.00096'],
  [change('float', 1e-9), '+0.0000000010'],
  // A rounding of doubles: 0.3 - 0.1 - 0.2.
  [change('float', -2.8e-17), '0.000'],
  [change('boolean', 0), '0.0'],
  [figure('float', 0.508, { low: 0, high: 0.206 }, 0.00004), '0.508000'],
  [figure('measured', 1234.2, { low: -40, high: 40 }, 0.2), '1234.2'],
  [change('int', 0.25), '+0.250'],
  [change('measured', -1234.5678), '−1235'],
  [figure('float', 0.5), '0.500'],
  [figure('boolean', 0.2875), '28.8 %'],
  [figure('boolean', null), '–'],
  [figure('measured', 0.00012345), '0.0001235'],
  [probability(0.00315), '0.0032'],
  [probability(0.7), '0.70'],
  [probability(0.00002), '< 0.0001'],
  [probability(5e-324), '< 0.0001'],
  [probability(null), '–'],
  [changes('float', { low: -0.00012, high: 0.00031 }), '−0.00012 to +0.00031'],
])('%s is %s', (shown, expected) => expect(shown).toBe(expected));

test('an interval that is not a point never looks like one', () => {
  const bound = fc.double({ min: -1, max: 1, noNaN: true });
  fc.assert(
    fc.property(
      bound,
      bound,
      fc.constantFrom('boolean', 'float', 'measured'),
      (one, other, unit) => {
        fc.pre(Math.abs(one - other) > 1e-9);
        const interval = { low: Math.min(one, other), high: Math.max(one, other) };
        const [low, high] = changes(unit, interval).split(' to ');
        expect(low).not.toBe(high);
      },
    ),
  );
});

test('a difference that is not 0 is never told as 0, nor its sides as the same', () => {
  const share = fc.double({ min: 0, max: 1, noNaN: true });
  const exponent = fc.double({ min: -9, max: 0, noNaN: true });
  fc.assert(
    fc.property(
      share,
      exponent,
      share,
      fc.constantFrom('boolean', 'float', 'int', 'measured'),
      (baseline, power, reach, unit) => {
        const candidate = baseline + 10 ** power;
        const difference = candidate - baseline;
        const interval = { low: difference - reach / 2, high: difference + reach };
        expect(change(unit, difference, interval)).toMatch(/^\+.*[1-9]/);
        const sides = [baseline, candidate].map((mean) => figure(unit, mean, interval, difference));
        expect(sides[0]).not.toBe(sides[1]);
      },
    ),
  );
});

test.each(losses.cases)('a difference of $difference is a loss of $loss for $metric', (example) => {
  const { metric, difference, loss } = example;
  expect(lossOf(metric as { lowerIsBetter?: true }, difference)).toBe(loss);
});

test('measured values are told by their ids', () => {
  expect(unitOf({ metricId: 'latency', outputType: 'float' })).toBe('measured');
  expect(unitOf({ outputType: 'boolean' })).toBe('boolean');
  expect(size('boolean', -0.043)).toBe('4.3');
});
