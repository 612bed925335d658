import type { Evaluation, Judged } from './evaluation.ts';
import { jsonEqual, jsonSchema } from './json-match.ts';
import { levenshtein } from './levenshtein.ts';
import { numberClose } from './number-close.ts';
import * as rules from './options.ts';
import { setF1, tokenF1 } from './overlap.ts';
import { rougeL } from './rouge-l.ts';
import { contains, exactMatch, regexMatch } from './text-match.ts';

export type Evaluator = {
  /** A yes or no, or a share 0..1. */
  gives: 'boolean' | 'float';
  /** Its own options, beside `output`, `expected` and `threshold`. */
  options: Record<string, rules.OptionRule>;
  required: readonly string[];
  readsExpected: boolean;
  judge: (judged: Judged) => Evaluation | Promise<Evaluation>;
};

const { flag, marker, pattern, schema, tolerance } = rules;
const textual = { ignoreCase: flag, trim: flag };

/** The built-in evaluators of the contract, section 3, "Heuristic metrics", by name. */
export const catalogue: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  ['exact_match', { gives: 'boolean', options: textual, required: [], readsExpected: true, judge: exactMatch }],
  ['contains', { gives: 'boolean', options: textual, required: [], readsExpected: true, judge: contains }],
  ['regex_match', { gives: 'boolean', options: { pattern }, required: ['pattern'], readsExpected: false, judge: regexMatch }],
  ['json_equal', { gives: 'boolean', options: {}, required: [], readsExpected: true, judge: jsonEqual }],
  ['json_schema', { gives: 'boolean', options: { schema }, required: ['schema'], readsExpected: false, judge: jsonSchema }],
  [
    'number_close',
    {
      gives: 'boolean',
      options: { after: marker, absolute: tolerance, relative: tolerance },
      required: [],
      readsExpected: true,
      judge: numberClose,
    },
  ],
  ['levenshtein', { gives: 'float', options: {}, required: [], readsExpected: true, judge: levenshtein }],
  ['token_f1', { gives: 'float', options: {}, required: [], readsExpected: true, judge: tokenF1 }],
  ['rouge_l', { gives: 'float', options: {}, required: [], readsExpected: true, judge: rougeL }],
  ['set_f1', { gives: 'float', options: {}, required: [], readsExpected: true, judge: setF1 }],
]);
