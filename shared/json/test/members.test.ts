import fc from 'fast-check';
import { expect, test } from 'vitest';
import { membersOf, memberText, withMember } from '../members.ts';

const object = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue());
const spaced = (value: unknown, space: number) => JSON.stringify(value, undefined, space);

test('the members of an object are its keys with the text of their values', () => {
  fc.assert(
    fc.property(object, fc.nat(3), (value, space) => {
      const json = ` ${spaced(value, space)} `;
      const found = membersOf(json).map(({ key, start, end }) => [
        key,
        JSON.parse(json.slice(start, end)),
      ]);
      expect(found).toEqual(Object.entries(JSON.parse(json)));
    }),
  );
});

test('a change of one member leaves all others as they are written', () => {
  fc.assert(
    fc.property(
      object,
      fc.string(),
      fc.option(fc.jsonValue()),
      fc.nat(3),
      (value, key, set, space) => {
        const json = spaced(value, space);
        const changed = withMember(json, key, set === null ? undefined : JSON.stringify(set));
        const { [key]: _before, ...others } = JSON.parse(changed);
        const { [key]: _old, ...expected } = JSON.parse(json);
        expect(others).toEqual(expected);
        expect(memberText(changed, key)).toEqual(set === null ? undefined : JSON.stringify(set));
      },
    ),
  );
});

test('no digit is lost, and of two members of one name the last counts', () => {
  const json = '{ "a":12345678901234567890.10, "b" : [1e400,"}"], "a":1.0 }';
  expect(withMember(json, 'b', '7')).toBe('{ "a":12345678901234567890.10, "b" : 7, "a":1.0 }');
  expect(memberText(json, 'a')).toBe('1.0');
  expect(withMember(json, 'a', undefined)).toBe('{"b" : [1e400,"}"]}');
  expect(withMember('{}', '__proto__', '1')).toBe('{"__proto__":1}');
});
