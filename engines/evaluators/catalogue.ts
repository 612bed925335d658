import type { Evaluation, EvaluatorInput } from './evaluation.ts';
import { jsonEqual, jsonSchema } from './json-match.ts';
import { levenshtein } from './levenshtein.ts';
import { numberClose } from './number-close.ts';
import {
  flag,
  marker,
  type Option,
  pattern,
  pointer,
  schema,
  share,
  tolerance,
} from './options.ts';
import { setF1, tokenF1 } from './overlap.ts';
import { rougeL } from './rouge-l.ts';
import { contains, exactMatch, regexMatch } from './text-match.ts';

/**
 * One built-in evaluator: the one place that knows it. Its checks, messages, description and
 * documentation come from here.
 */
export interface Evaluator {
  /** One sentence, without a full stop. */
  summary: string;
  /** A yes or no, or a share 0..1. */
  gives: 'boolean' | 'float';
  /** Its own options, beside `output`, `expected` and `threshold`. */
  options: Record<string, Option>;
  required: readonly string[];
  readsExpected: boolean;
  evaluate: (input: EvaluatorInput) => Evaluation | Promise<Evaluation>;
  example: Example;
}

/** A record that is scored with these options, and the `value` that it gets. */
interface Example {
  options: Record<string, unknown>;
  expected: Record<string, unknown>;
  outputs: Record<string, unknown>;
  value: boolean | number;
}

/** The options that evaluators share. */
export const sharedOptions = {
  output: pointer(
    'Where the value to judge stands in `outputs`, as a JSON Pointer; its only member when left out.',
  ),
  expected: pointer(
    'Where the value to compare with stands in `expected`, as a JSON Pointer; its only member when left out.',
  ),
  threshold: share('In a boolean metric, the value from which on the output passes.'),
};

const textual = {
  ignoreCase: flag('Whether upper and lower case are the same.'),
  trim: flag('Whether white space at both ends is left out.'),
};

const fenced = flag(
  'Whether JSON in a code fence of the output (```) is taken out of it; the first fence that holds JSON counts.',
);

const texts = (output: string, expected: string) => ({
  outputs: { answer: output },
  expected: { answer: expected },
});

/** The built-in evaluators of the contract, section 3, "Heuristic metrics", by name. */
export const catalogue: ReadonlyMap<string, Evaluator> = new Map<string, Evaluator>([
  [
    'exact_match',
    {
      summary: 'The output is the expected text or number',
      gives: 'boolean',
      options: textual,
      required: [],
      readsExpected: true,
      evaluate: exactMatch,
      example: { options: { ignoreCase: true }, ...texts('paris', 'Paris'), value: true },
    },
  ],
  [
    'contains',
    {
      summary: 'The expected text occurs in the output',
      gives: 'boolean',
      options: textual,
      required: [],
      readsExpected: true,
      evaluate: contains,
      example: { options: {}, ...texts('The capital is Paris.', 'Paris'), value: true },
    },
  ],
  [
    'regex_match',
    {
      summary: 'A regular expression matches somewhere in the output',
      gives: 'boolean',
      options: {
        pattern: pattern(
          'The regular expression, in the syntax of RE2: without look-around and back-references.',
        ),
      },
      required: ['pattern'],
      readsExpected: false,
      evaluate: regexMatch,
      example: {
        options: { pattern: '^[A-Z]{2}[0-9]+$' },
        outputs: { answer: 'DE4711' },
        expected: {},
        value: true,
      },
    },
  ],
  [
    'json_equal',
    {
      summary: 'The output is the expected JSON value, whatever the order of keys',
      gives: 'boolean',
      options: { fenced },
      required: [],
      readsExpected: true,
      evaluate: jsonEqual,
      example: {
        options: {},
        outputs: { answer: '{"b":2,"a":1}' },
        expected: { answer: { a: 1, b: 2 } },
        value: true,
      },
    },
  ],
  [
    'json_schema',
    {
      summary:
        'The output is valid against a JSON Schema; a text counts as the JSON that it is, unless the schema asks for a text',
      gives: 'boolean',
      options: { schema: schema('The JSON Schema; draft 2020-12 where it names none.'), fenced },
      required: ['schema'],
      readsExpected: false,
      evaluate: jsonSchema,
      example: {
        options: { schema: { type: 'object', required: ['city'] } },
        outputs: { answer: { city: 'Paris' } },
        expected: {},
        value: true,
      },
    },
  ],
  [
    'number_close',
    {
      summary: 'The first number in the output is the expected one, or close to it',
      gives: 'boolean',
      options: {
        after: marker('The number is read after the last occurrence of this text.'),
        absolute: tolerance('How far the numbers may be apart, to the last digit.'),
        relative: tolerance('How far the numbers may be apart, as a share of the expected one.'),
      },
      required: [],
      readsExpected: true,
      evaluate: numberClose,
      example: {
        options: { after: '####', absolute: 0.5 },
        ...texts('6 * 7 = 42 #### 42', '#### 42.3'),
        value: true,
      },
    },
  ],
  [
    'levenshtein',
    {
      summary:
        'How alike two texts are: 1 less the edits from one to the other, as a share of the longer text',
      gives: 'float',
      options: {},
      required: [],
      readsExpected: true,
      evaluate: levenshtein,
      example: { options: {}, ...texts('Paris', 'Pares'), value: 0.8 },
    },
  ],
  [
    'token_f1',
    {
      summary: 'F1 of the words that two texts share, as in SQuAD',
      gives: 'float',
      options: {},
      required: [],
      readsExpected: true,
      evaluate: tokenF1,
      example: { options: {}, ...texts('the city of Paris', 'Paris'), value: 0.5 },
    },
  ],
  [
    'rouge_l',
    {
      summary: 'ROUGE-L: F1 of the longest common subsequence of words',
      gives: 'float',
      options: {},
      required: [],
      readsExpected: true,
      evaluate: rougeL,
      example: { options: {}, ...texts('one two three four', 'one three four two'), value: 0.75 },
    },
  ],
  [
    'set_f1',
    {
      summary: 'F1 of two sets: arrays, or texts with commas or line breaks between the members',
      gives: 'float',
      options: {},
      required: [],
      readsExpected: true,
      evaluate: setF1,
      example: {
        options: {},
        outputs: { answer: ['red', 'blue', 'green'] },
        expected: { answer: ['blue'] },
        value: 0.5,
      },
    },
  ],
]);
