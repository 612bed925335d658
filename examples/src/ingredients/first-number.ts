import type { Reading, Unit } from './reading.ts';

const unitByWord = new Map<string, Unit>([
  ['g', 'g'],
  ['kg', 'kg'],
  ['ml', 'ml'],
  ['l', 'l'],
  ['cup', 'cup'],
  ['cups', 'cup'],
  ['teaspoon', 'teaspoon'],
  ['teaspoons', 'teaspoon'],
  ['tablespoon', 'tablespoon'],
  ['tablespoons', 'tablespoon'],
]);

/**
 * Version 1: the first word is the number, the second may be a unit, the rest is the item.
 * `parseFloat` takes "1/2" for 1 and "1,5" for 1; abbreviated units, notes and packages end up in
 * the item.
 */
export function readFirstNumber(line: string): Reading {
  const [first = '', ...rest] = line.split(/\s+/);
  const quantity = Number.parseFloat(first);
  if (Number.isNaN(quantity)) return { quantity: null, unit: null, item: line };
  const unit = unitByWord.get(rest[0] ?? '') ?? null;
  return { quantity, unit, item: (unit ? rest.slice(1) : rest).join(' ') };
}
