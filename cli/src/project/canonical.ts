/** JSON with sorted members: equal values have equal texts. */
export function canonical(value: unknown): string {
  return JSON.stringify(normal(value), (_key, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(
          Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : each,
  );
}

/** No text, none that is null, and an empty one are the same; so are options that are left out. */
function normal(value: unknown): unknown {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' && !Array.isArray(value) && 'name' in value
    ? { options: {}, ...value }
    : value;
}
