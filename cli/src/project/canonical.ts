import { canonicalText } from '@assay/json/canonical';

/** JSON with sorted members: equal values have equal texts. */
export const canonical = (value: unknown): string => canonicalText(normal(value));

/** No text, none that is null, and an empty one are the same; so are options that are left out. */
function normal(value: unknown): unknown {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' && !Array.isArray(value) && 'name' in value
    ? { options: {}, ...value }
    : value;
}
