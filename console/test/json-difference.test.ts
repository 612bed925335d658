import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonDifference } from '../src/parts/difference/json-difference.ts';
import { parseObject } from '../src/text/json.ts';

const json = () => fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)));

test('a value does not differ from itself', () => {
  fc.assert(fc.property(json(), (value) => void expect(jsonDifference(value, value)).toEqual([])));
});

test('two values that are not equal differ, the other way round in the same places', () => {
  fc.assert(
    fc.property(json(), json(), (one, other) => {
      const there = jsonDifference(one, other);
      const back = jsonDifference(other, one);
      expect(there.length === 0).toBe(
        JSON.stringify(sorted(one)) === JSON.stringify(sorted(other)),
      );
      expect(new Set(back.map(({ pointer }) => pointer))).toEqual(
        new Set(there.map(({ pointer }) => pointer)),
      );
    }),
  );
});

test('each difference has its pointer, and what stands there', () => {
  const before = { steps: [1, 2], name: 'a', 'x/y': 0, same: { deep: true } };
  const after = { steps: [1, 3, 4], name: 'a', same: { deep: false } };
  expect(jsonDifference(before, after)).toEqual([
    { kind: 'changed', pointer: '/steps/1', before: 2, after: 3 },
    { kind: 'added', pointer: '/steps/2', after: 4 },
    { kind: 'removed', pointer: '/x~1y', before: 0 },
    { kind: 'changed', pointer: '/same/deep', before: true, after: false },
  ]);
});

test('a null, an empty object and an empty array are three values', () => {
  expect(jsonDifference(null, {})).toHaveLength(1);
  expect(jsonDifference({}, [])).toHaveLength(1);
  expect(jsonDifference([], [])).toEqual([]);
});

/** With the keys of objects in one order, and one zero. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value === 'object' && value !== null)
    return Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)])
      .concat([['object', '']]);
  return value;
}

test('numbers are compared by value, to the last digit', () => {
  const [before, after] = [
    parseByValue('{"id":9007199254740993}'),
    parseByValue('{"id":9007199254740992}'),
  ];
  expect(jsonDifference(before, after)).toMatchObject([{ kind: 'changed', pointer: '/id' }]);
  expect(jsonDifference(before, parseByValue('{"id":9007199254740993}'))).toEqual([]);
  expect(jsonDifference(parseByValue('[1.0,-0]'), parseByValue('[1,0]'))).toEqual([]);
});

test('an object that is typed keeps each digit on the way to the server', () => {
  const typed = parseObject('{"id":9007199254740993}');
  expect(writeJson(typed)).toBe('{"id":9007199254740993}');
});
