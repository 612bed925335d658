/**
 * What all of these come to. Where none has to be waited for, no promise is made: each costs as much as a small piece of work, and in a
 * million records there are many.
 */
export const allOf = <Value>(values: (Value | Promise<Value>)[]): Value[] | Promise<Value[]> =>
  values.some((value) => value instanceof Promise) ? Promise.all(values) : (values as Value[]);
