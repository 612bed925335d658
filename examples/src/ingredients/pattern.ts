import type { Reading } from './reading.ts';
import { takeUnit } from './unit-words.ts';

const amount =
  /^(?:(?<whole>\d+) )?(?<over>\d+)\/(?<under>\d+)\s*|^(?<number>\d[\d,]*(?:\.\d+)?)(?:[-–]\d+)?\s*/;

/**
 * Version 2: a pattern for amounts (fractions, thousands, ranges with a dash), unit abbreviations,
 * and no notes or packages in the item. Every comma in a number is taken for one between thousands:
 * "1,5 kg" is 15 kg. Fraction signs and number words are unknown.
 */
export function readByPattern(line: string): Reading {
  const text = withoutNotes(line);
  const match = amount.exec(text);
  if (!match) return { quantity: null, unit: null, item: text };
  const { unit, rest } = takeUnit(text.slice(match[0].length));
  return { quantity: quantityOf(match.groups!), unit, item: rest };
}

const quantityOf = ({ whole, over, under, number }: Record<string, string | undefined>): number =>
  number === undefined
    ? Number(whole ?? 0) + Number(over) / Number(under)
    : Number(number.replaceAll(',', ''));

/** Removes text in parentheses, and everything after a comma and a space. */
export function withoutNotes(line: string): string {
  return line
    .replaceAll(/\s*\([^)]*\)/g, '')
    .replace(/,\s.*$/, '')
    .trim();
}
