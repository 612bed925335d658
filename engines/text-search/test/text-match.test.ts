import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextMatch } from '../text-match.ts';

/** Searches JSON that is cut into pieces at these places. */
function isFound(text: string, json: string, cuts: number[] = []): boolean {
  const bytes = new TextEncoder().encode(json);
  const search = createTextMatch(text)();
  if (cuts.length === 0) return search(bytes, true);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length];
  places.sort((one, other) => one - other);
  for (const [index, place] of places.slice(1).entries())
    if (search(bytes.subarray(places[index], place), false)) return true;
  return search(new Uint8Array(), true);
}

/** The same text with every character as an escape. */
const escaped = (text: string): string =>
  [...text.split('')]
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');

const cuts = fc.array(fc.nat(), { maxLength: 6 });

test('a text is found wherever it stands in a string, however it is escaped and cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      fc.string({ unit: 'grapheme', maxLength: 20 }),
      cuts,
      (before, text, after, cuts) => {
        const value = `${before}${text}${after}`;
        expect(isFound(text, JSON.stringify({ value }), cuts)).toBe(true);
        expect(isFound(text, `{"value":"${escaped(value)}"}`)).toBe(true);
      },
    ),
  );
});

test('where a payload is cut changes nothing, backslashes and quotes included', () => {
  const hostile = fc.string({
    unit: fc.constantFrom('\\', '"', 'u', 'n', '\n', '0', '4', '1', 'A', 'é', '😀'),
    maxLength: 24,
  });
  fc.assert(
    fc.property(
      hostile,
      hostile.filter((text) => text !== ''),
      cuts,
      (value, text, cuts) => {
        const json = JSON.stringify({ value });
        expect(isFound(text, json, cuts)).toBe(isFound(text, json));
      },
    ),
    { numRuns: volume(1000) },
  );
});

test.each([
  ['in another case', 'WHERE is', '{"q":"Where Is my parcel?"}'],
  ['in another case, of other scripts', 'ÜBER σοφός', '{"q":"über ΣΟΦΌΣ"}'],
  ['with a quotation mark', 'say "hi"', '{"q":"they say \\"hi\\" there"}'],
  ['with a line break', 'one\ntwo', '{"q":"one\\ntwo"}'],
  ['with a path of Windows', 'C:\\new', '{"q":"C:\\\\new"}'],
  ['with a slash that was escaped', 'a/b', '{"q":"a\\/b"}'],
  ['that was escaped as code points', 'café 😀', '{"q":"caf\\u00e9 \\ud83d\\ude00"}'],
  ['that is a number', '42.50', '{"q":42.50}'],
  ['that is the name of a field', 'question', '{"question":1}'],
])('a text is found %s', (_what, text, json) => {
  expect(isFound(text, json)).toBe(true);
});

test.each([
  ['an escape is not the letter in it', 'onentwo', '{"q":"one\\ntwo"}'],
  ['an escaped backslash begins no escape', 'a\nb', '{"q":"a\\\\nb"}'],
  ['a pattern is a text', 'a.c', '{"q":"abc"}'],
  ['another normal form is another text', 'caf\u00e9', '{"q":"cafe\u0301"}'],
])('%s', (_what, text, json) => {
  expect(isFound(text, json)).toBe(false);
});
