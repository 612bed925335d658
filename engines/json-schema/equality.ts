import { canonicalText } from '@assay/json/canonical';

/** The positions of the first item that repeats an earlier one. */
export function firstRepeat(items: unknown[]): { first: number; second: number } | undefined {
  const seen = new Map<string, number>();
  for (const [second, item] of items.entries()) {
    const key = canonicalText(item);
    const first = seen.get(key);
    if (first !== undefined) return { first, second };
    seen.set(key, second);
  }
  return undefined;
}
