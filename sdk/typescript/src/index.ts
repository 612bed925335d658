export { evaluate } from './evaluate.ts';
export type * from './evaluation.ts';
export { AssayError } from './failure.ts';
export { Retry } from './retry.ts';
