import fc from 'fast-check';
import { expect, test } from 'vitest';
import { topLevelKeys } from '../keys.ts';

test('keys come in the order of the text, also those that JavaScript would sort first', () => {
  expect(
    topLevelKeys('{"properties":{"z":{},"10":{},"2":{},"1":{},"__proto__":{},"toString":{}}}'),
  ).toEqual(['z', '10', '2', '1', '__proto__', 'toString']);
});

test('only the properties of the root count, and the last of a repeated name', () => {
  const text =
    '{"$defs":{"properties":{"no":1}},"properties":{"old":1},"x":["properties",{"properties":{}}], "properties" : { "a\\"b" : "},{", "c" : [1,{"d":2}] , "c":{} }}';
  expect(topLevelKeys(text)).toEqual(['a"b', 'c']);
});

test.each([
  '{}',
  '[]',
  '{"properties":3}',
  '{"properties":{}}',
  '',
  '{"properties":{"a',
  '{"properties":{"a":1}',
])('%s is read without a failure', (text) => {
  expect(Array.isArray(topLevelKeys(text))).toBe(true);
});

test('the keys are those that JSON.parse finds, however the text is spaced', () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
      fc.constantFrom(undefined, 1, '\t'),
      (properties, space) => {
        const text = JSON.stringify({ before: [properties], properties, after: 1 }, null, space);
        expect(topLevelKeys(text)).toEqual(Object.keys(JSON.parse(text).properties));
      },
    ),
  );
});
