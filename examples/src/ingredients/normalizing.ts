import { readByPattern, withoutNotes } from './pattern.ts';
import type { Reading } from './reading.ts';

const fractionSigns = new Map([
  ['½', '1/2'],
  ['⅓', '1/3'],
  ['⅔', '2/3'],
  ['¼', '1/4'],
  ['¾', '3/4'],
]);
const numberWords = new Map([
  ['a', 1],
  ['an', 1],
  ['one', 1],
  ['two', 2],
  ['three', 3],
  ['four', 4],
  ['five', 5],
  ['six', 6],
]);

/**
 * Version 3: writes a line in one plain form first (fraction signs, number words, "to" in ranges,
 * "of", "to taste", decimal commas), and reads that as version 2 does. The decimal comma came at
 * the price of the thousands: "1,000 g" is now 1 g.
 */
export function readNormalized(line: string): Reading {
  const steps = [
    withoutNotes,
    withPlainFractions,
    withDigits,
    withDashes,
    withPoints,
    withoutPhrases,
  ];
  const reading = readByPattern(steps.reduce((text, step) => step(text), line));
  return { ...reading, item: reading.item.replace(/^of /, '') };
}

const withPlainFractions = (text: string): string =>
  text.replaceAll(/[½⅓⅔¼¾]/g, (sign) => ` ${fractionSigns.get(sign)}`).trim();

function withDigits(text: string): string {
  const number = numberWords.get(text.split(' ')[0]!.toLowerCase());
  const digits = number === undefined ? text : text.replace(/^\S+/, String(number));
  return digits.replace(/^(\d+) dozen\b/, (_match, count: string) => String(Number(count) * 12));
}

const withDashes = (text: string): string => text.replace(/^(\d+) to (\d+)\b/, '$1-$2');

const withPoints = (text: string): string => text.replace(/^(\d+),(\d+)/, '$1.$2');

const withoutPhrases = (text: string): string =>
  text.replace(/ (?:to taste|for serving|as needed)$/, '');
