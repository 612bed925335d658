/** Levels of objects and arrays that a body may have (contract section 1, Limits). */
export const bodyDepthMax = 512;

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if objects and arrays are nested more than `levels` deep. */
export function hasMoreLevels(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => hasMoreLevels(inner, levels - 1));
}

/**
 * Returns a text that is the same for two JSON values exactly when JSON Schema calls them equal:
 * the order of members does not count. Names such as `constructor` or `valueOf` are ordinary.
 */
export function equalityKey(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(equalityKey).join(',')}]`;
  // JSON.stringify writes -0 as 0.
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const record = value as Record<string, unknown>;
  const members = Object.keys(record)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${equalityKey(record[key])}`);
  return `{${members.join(',')}}`;
}
