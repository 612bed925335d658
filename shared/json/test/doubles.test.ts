import { expect, test } from 'vitest';
import { type RoundedNumber, withDoubles } from '../doubles.ts';
import { parseByValue, parseJson } from '../parse.ts';

function read(text: string) {
  const rounded: RoundedNumber[] = [];
  const value = withDoubles(parseByValue(text), (one) => rounded.push(one));
  return { value, rounded: rounded.map(({ path, number }) => [path.join('/'), number.text]) };
}

test('numbers that no double says become the nearest one, and each is told with its place', () => {
  const text =
    '{"id": 9007199254740993, "list": [1, {"rate": 0.12345678901234567891}], "__proto__": 1e400}';
  const { value, rounded } = read(text);
  expect(value).toEqual(JSON.parse(text));
  expect(Array.isArray((value as { list: unknown }).list)).toBe(true);
  expect(rounded).toEqual([
    ['id', '9007199254740993'],
    ['list/1/rate', '0.12345678901234567891'],
    ['__proto__', '1e400'],
  ]);
});

test('a number that is only written otherwise changes no value, and is not told', () => {
  const value = withDoubles(parseJson('[1.0, 1e2]'), () => expect.unreachable());
  expect(value).toEqual([1, 100]);
});

test('a value without such numbers is returned as it is', () => {
  const value = { list: [1, 'two', null, { three: 3 }] };
  expect(withDoubles(value, () => expect.unreachable())).toBe(value);
});
