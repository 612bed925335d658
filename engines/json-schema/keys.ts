import { membersOf } from '@assay/json/members';

/**
 * Returns the keys of the schema's `properties`, in the order of the schema text. JavaScript
 * objects put integer-like keys first, so the text itself is scanned. Of a repeated `properties`
 * the last counts, as in JSON.parse. For text that `check` found no fault with; of other text,
 * returns the keys that could be read.
 */
export function topLevelKeys(schemaText: string): string[] {
  const properties = membersOf(schemaText).findLast(({ key }) => key === 'properties');
  if (!properties) return [];
  return [...new Set(membersOf(schemaText, properties.start).map(({ key }) => key))];
}
