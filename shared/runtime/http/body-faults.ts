import { Failure, invalidAt } from '@assay/contracts/failure';

export const noUtf8 = (): Failure => new Failure('MALFORMED_JSON', 'The body is not valid UTF-8.');

export const noJson = ({ length }: Uint8Array, cause?: unknown): Failure =>
  new Failure(
    'MALFORMED_JSON',
    length === 0 ? 'The body is empty, but JSON is needed.' : 'The body is not valid JSON.',
    { cause },
  );

export const nestedTooDeep = (depthMax: number): Failure =>
  invalidAt('', `is nested deeper than ${depthMax} levels`);

export const tooManyValues = (valuesMax: number): Failure =>
  invalidAt('', `has more than ${valuesMax.toLocaleString('en')} values beside its payloads`);
