import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkMapping, completeMapping, dropRemovedKeys } from '../src/domain.ts';

const key: fc.Arbitrary<string> = fc.constantFrom(
  'a',
  'b',
  'c',
  'toString',
  '__proto__',
  '10',
  '2',
);
const keys = fc.uniqueArray(key);

/** Every key in one role at most. */
const mapping = fc
  .dictionary(key, fc.constantFrom('inputs', 'expected', 'metadata'))
  .map((roles) => ({
    inputs: Object.keys(roles).filter((name) => roles[name] === 'inputs'),
    expected: Object.keys(roles).filter((name) => roles[name] === 'expected'),
    metadata: Object.keys(roles).filter((name) => roles[name] === 'metadata'),
  }));

describe('a field mapping', () => {
  test('is refused where a key is listed twice, in one role or two, with the place of the second', () => {
    expect(() => checkMapping({ inputs: ['a', 'b'], expected: ['b'], metadata: ['a'] })).toThrow(
      expect.objectContaining({
        details: {
          issues: [
            { path: '/fieldMapping/expected/0', message: '"b" is listed under inputs already' },
            { path: '/fieldMapping/metadata/0', message: '"a" is listed under inputs already' },
          ],
        },
      }),
    );
    expect(() => checkMapping({ inputs: ['a', 'a'], expected: [], metadata: [] })).toThrow(
      '/fieldMapping/inputs/1',
    );
    fc.assert(fc.property(mapping, (given) => checkMapping(given)));
  });

  test('gives every schema key a role at creation, and changes none that was given', () => {
    fc.assert(
      fc.property(mapping, keys, (given, schemaKeys) => {
        const complete = completeMapping(given, schemaKeys);
        expect(complete.inputs).toEqual(given.inputs);
        expect(complete.expected).toEqual(given.expected);
        expect(complete.metadata.slice(0, given.metadata.length)).toEqual(given.metadata);
        const all = [...complete.inputs, ...complete.expected, ...complete.metadata];
        expect(new Set(all).size).toBe(all.length);
        for (const schemaKey of schemaKeys) expect(all).toContain(schemaKey);
        const added = complete.metadata.slice(given.metadata.length);
        expect(added).toEqual(schemaKeys.filter((schemaKey) => added.includes(schemaKey)));
      }),
    );
  });

  test('loses exactly the keys that the schema had and no longer has', () => {
    fc.assert(
      fc.property(mapping, keys, keys, (given, before, now) => {
        const left = dropRemovedKeys(given, before, now);
        for (const role of ['inputs', 'expected', 'metadata'] as const) {
          expect(left[role]).toEqual(
            given[role].filter((name) => now.includes(name) || !before.includes(name)),
          );
        }
      }),
    );
  });
});
