import { isObject } from '@assay/json/value';

/** The arguments of a function of Python, `{ args, kwargs }`, which are one value where it has one. */
export function calledWith(value: unknown): unknown {
  if (!isObject(value)) return value;
  const { args, kwargs, ...others } = value;
  if (!Array.isArray(args) || !isObject(kwargs) || Object.keys(others).length > 0) return value;
  if (args.length === 0) return kwargs;
  if (Object.keys(kwargs).length > 0) return value;
  return args.length === 1 ? args[0] : args;
}
