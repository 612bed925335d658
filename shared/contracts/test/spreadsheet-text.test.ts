import fc from 'fast-check';
import { expect, test } from 'vitest';
import { escapeFormula, unescapeFormula } from '../spreadsheet-text.ts';

test('text that a spreadsheet would run gets an apostrophe, also after characters that it drops', () => {
  const before = ['', ' ', '\u00a0', '\ufeff', '\u200b', '\0', '\u000b', '\u2028', "'", ' \u200b'];
  for (const blank of before)
    for (const sign of ['=', '+', '-', '@', '\uff1d'])
      expect(escapeFormula(`${blank}${sign}1`)).toBe(`'${blank}${sign}1`);
  for (const text of ['\ta', '\ra', '\na']) expect(escapeFormula(text)).toBe(`'${text}`);
  for (const text of ['', 'a=1', ' a', "'a", '1-2', '\u200b'])
    expect(escapeFormula(text)).toBe(text);
});

test('every text comes back', () => {
  const piece = fc.constantFrom("'", ' ', '=', '-', '\u200b', '\0', '\t', 'a', '1');
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.string({ unit: piece })), (text) => {
      expect(unescapeFormula(escapeFormula(text))).toBe(text);
    }),
  );
});
