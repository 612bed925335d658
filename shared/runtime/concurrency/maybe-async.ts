/**
 * Like Promise.all, but returns the array itself if no element is a promise, which saves an
 * allocation per record.
 */
export const awaitAll = <Value>(values: (Value | Promise<Value>)[]): Value[] | Promise<Value[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as Value[]);
