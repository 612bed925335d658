import type { Unit } from './reading.ts';

const words: Record<Unit, string[]> = {
  g: ['g', 'gram', 'grams'],
  kg: ['kg', 'kilo', 'kilos'],
  ml: ['ml'],
  l: ['l', 'litre', 'litres'],
  teaspoon: ['teaspoon', 'teaspoons', 'tsp', 't'],
  tablespoon: ['tablespoon', 'tablespoons', 'tbsp', 'tbs'],
  cup: ['cup', 'cups', 'c'],
  pinch: ['pinch', 'pinches'],
  can: ['can', 'cans', 'tin', 'tins'],
  clove: ['clove', 'cloves'],
};

const unitByWord = new Map(
  Object.entries(words).flatMap(([unit, forms]) =>
    forms.map((form) => [form, unit as Unit] as const),
  ),
);

/**
 * Splits the unit off the start of a text. Case does not count, so a cook's "T" (tablespoon) is
 * taken for a "t" (teaspoon).
 */
export function takeUnit(text: string): { unit: Unit | null; rest: string } {
  const [, word = '', rest = ''] = /^(\p{L}+)\.?(?:\s+(.*))?$/u.exec(text) ?? [];
  const unit = unitByWord.get(word.toLowerCase()) ?? null;
  return unit ? { unit, rest } : { unit, rest: text };
}
