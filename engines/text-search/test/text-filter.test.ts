import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTextFilter } from '../text-filter.ts';
import { createTextMatch } from '../text-match.ts';

const bytesOf = (json: string) => new TextEncoder().encode(json);

const isFound = (text: string, json: string) => createTextMatch(text)()(bytesOf(json), true);

/** Undefined where the text cannot be told by bytes. */
const mayBeFound = (text: string, json: string) => createTextFilter(text)?.(bytesOf(json));

/** JSON of a text with some of its characters as escapes of either case, as programs write it. */
const written = fc
  .tuple(
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.array(fc.constantFrom('plain', 'low', 'high'), { minLength: 1, maxLength: 5 }),
  )
  .map(([text, forms]) =>
    [...JSON.stringify({ text })]
      .map((character, index) => {
        const form = forms[index % forms.length];
        if (form === 'plain' || character < '\x80') return character;
        const units = character.split('').map((unit) => unit.charCodeAt(0).toString(16));
        const digits = units.map((unit) => unit.padStart(4, '0'));
        return digits.map((four) => `\\u${form === 'low' ? four : four.toUpperCase()}`).join('');
      })
      .join(''),
  );

test('no text that is found in JSON is missed by its bytes', () => {
  fc.assert(
    fc.property(written, fc.nat(), fc.integer({ min: 1, max: 6 }), (json, from, length) => {
      const { text } = JSON.parse(json) as { text: string };
      const characters = [...text];
      const start = from % (characters.length + 1);
      const part = characters.slice(start, start + length).join('');
      for (const wanted of [part, part.toUpperCase(), part.toLowerCase()])
        if (wanted !== '' && isFound(wanted, json))
          expect(mayBeFound(wanted, json)).not.toBe(false);
    }),
    { numRuns: volume(2000) },
  );
});

test('every character that has another case is found as that', () => {
  const missed: string[] = [];
  for (let code = 0x80; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const character = String.fromCodePoint(code);
    const capital = character.toUpperCase();
    if (capital === character) continue;
    if (mayBeFound(capital, JSON.stringify(character)) === false) missed.push(character);
  }
  expect(missed).toEqual([]);
});

test.each([
  ['a letter that is written as digits', 'parcel', '"p\\u0061rcel"'],
  ['a sharp s as two', 'STRASSE', '"straße"'],
  ['a sharp s that is escaped', 'STRASSE', '"stra\\u00DFe"'],
  ['a ligature', 'office', '"oﬀice"'],
  ['a letter without its dot', 'KILIM', '"kılım"'],
  ['a line break', 'one\ntwo', '"one\\ntwo"'],
  ['a quotation mark', 'say "hi"', '"say \\"hi\\""'],
  ['a quotation mark of JSON', '"q":1', '{"q":1}'],
  ['a path of Windows', 'C:\\new', '"C:\\\\new"'],
  ['an escaped slash', 'a/b', '"a\\/b"'],
  ['a character beyond 16 bits, escaped', '😀', '"\\ud83d\\uDE00"'],
])('%s is not missed', (_case, text, json) => {
  expect(isFound(text, json)).toBe(true);
  expect(mayBeFound(text, json)).toBe(true);
});

test.each([
  ['another word', 'parcel', '"a letter, {\\"to\\":\\"Zürich\\"}\\n"'],
  ['a pattern', 'a.c', '"abc"'],
  ['words of another script', 'σοφός', '"über 漢字"'],
])('JSON that has %s is left out', (_case, text, json) => {
  expect(mayBeFound(text, json)).toBe(false);
});

test('a text that bytes do not tell is not looked for by them', () => {
  expect(createTextFilter('\ud83d')).toBeUndefined();
  expect(createTextFilter('\ufffd')).toBeUndefined();
});
