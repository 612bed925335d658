import type { Preview } from '@assay/contracts/preview';

/** A reply to a request with `preview`: each payload in it is its beginning. */
export type PreviewOf<Value> = Value extends (infer Item)[]
  ? PreviewOf<Item>[]
  : Value extends object
    ? {
        [Key in keyof Value]: Key extends 'inputs' | 'expected' | 'outputs'
          ? Preview
          : PreviewOf<Value[Key]>;
      }
    : Value;

/** The contracts do not tell that a query changes the form of payloads. */
export const previewed = <Value>(reply: Value): PreviewOf<Value> => reply as PreviewOf<Value>;
