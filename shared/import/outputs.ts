import { isObject } from '@assay/json/value';
import type { Fields } from './entity.ts';

/** An answer as the outputs of a record, in the form in which the SDKs store the result of a system. */
export const outputsOf = (answer: unknown): Fields =>
  isObject(answer) ? answer : { output: answer };
