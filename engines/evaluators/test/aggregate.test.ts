import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { aggregate } from '../aggregate.ts';

describe('what several votes come to', () => {
  test('booleans: the majority, where a tie is false', () => {
    expect(aggregate('boolean', [true])).toBe(true);
    expect(aggregate('boolean', [true, false, true])).toBe(true);
    expect(aggregate('boolean', [true, false])).toBe(false);
    expect(aggregate('boolean', [false, false, true])).toBe(false);
  });

  test('ints: the lower median, which one of the votes said', () => {
    expect(aggregate('int', [5, 1, 4])).toBe(4);
    expect(aggregate('int', [5, 2, 4, 1])).toBe(2);
    expect(aggregate('int', [10, 9, 2])).toBe(9);
  });

  test('floats: the mean', () => {
    expect(aggregate('float', [0, 0.5, 1, 0.5])).toBe(0.5);
  });

  test('votes that agree reach a threshold that each of them reaches, whatever is rounded', () => {
    expect(aggregate('float', [0.7, 0.7, 0.7])).toBe(0.7);
    const votes = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), {
      minLength: 1,
      maxLength: 20,
    });
    fc.assert(
      fc.property(votes, (values) => {
        const mean = aggregate('float', values) as number;
        return mean >= Math.min(...values) && mean <= Math.max(...values);
      }),
    );
  });

  test('the order of the votes does not matter for booleans and ints, and the votes stay as they are', () => {
    const values = [3, 1, 2];
    expect(aggregate('int', values)).toBe(2);
    expect(values).toEqual([3, 1, 2]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 }), (ints) =>
        Object.is(aggregate('int', ints), aggregate('int', ints.toReversed())),
      ),
    );
  });
});
