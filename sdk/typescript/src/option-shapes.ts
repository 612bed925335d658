import { didYouMean, nearNames } from '@assay/client/named';
import { isObject } from '@assay/json/value';
import type { LocalOptions, ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';

interface Shape {
  has: (value: unknown) => boolean;
  what: string;
}

const text: Shape = { has: (value) => typeof value === 'string', what: 'a text' };
const flag: Shape = { has: (value) => typeof value === 'boolean', what: 'true or false' };
const whole = (min: number, max: number): Shape => ({
  has: (value) => Number.isInteger(value) && (value as number) >= min && (value as number) <= max,
  what: `a whole number ${max > 1e9 ? `of at least ${min}` : `from ${min} to ${max}`}`,
});
const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

type OptionName = keyof ServerOptions | keyof LocalOptions;

/** The kind of value that each option takes, where it is given. */
const shapes: Partial<Record<OptionName, Shape>> = {
  system: {
    has: (value) => typeof value === 'function',
    what: 'a function that gets the inputs of a testcase and returns its outputs',
  },
  scores: { has: isObject, what: 'an object of scorers by the names of their metrics' },
  trials: whole(1, 100),
  limit: whole(1, Number.MAX_SAFE_INTEGER),
  sample: whole(1, 1_000_000),
  seed: whole(0, Number.MAX_SAFE_INTEGER),
  concurrency: whole(1, 1_000),
  timeoutMs: whole(1, 2_147_483_647),
  retries: whole(0, 100),
  rateLimit: whole(1, 1_000_000),
  patienceMs: whole(0, 2_147_483_647),
  quiet: flag,
  local: flag,
  config: { has: isObject, what: 'an object, such as { model: "small-1" }' },
  systemName: text,
  versionName: text,
  name: text,
  labels: {
    has: (value) => isObject(value) && Object.values(value).every(text.has),
    what: 'an object of texts, such as { branch: "main" }',
  },
  budgetUsd: {
    has: (value) => typeof value === 'number' && value >= 0 && value < Number.POSITIVE_INFINITY,
    what: 'a number of US dollars',
  },
  setBaseline: flag,
  promote: flag,
  resume: text,
  retryErrors: flag,
  where: {
    has: (value) =>
      isObject(value) &&
      Object.keys(value).length > 0 &&
      Object.keys(value).every((pointer) => pointer.startsWith('/')),
    what: 'an object of JSON Pointers with values, such as { "/lang": "de" }',
  },
  keys: {
    has: (value) => isTextList(value) && (value as string[]).length > 0,
    what: 'a list of keys of testcases',
  },
  key: {
    has: (value) => typeof value === 'string' && value !== '',
    what: 'the name of the column with the keys of `testcases`',
  },
  sync: flag,
  createProject: flag,
  url: text,
  apiKey: text,
};

const optionsShown = 5;

function othersOf(known: readonly string[]): string {
  const shown = known.slice(0, optionsShown).map((name) => JSON.stringify(name));
  return `There are ${shown.join(', ')} and ${known.length - optionsShown} more, and none is like it.`;
}

/** @throws AssayError where an option is unknown, or its value is not of its kind. */
export function checkShapes(options: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) {
      const near = nearNames(name, known);
      throw new AssayError(
        `evaluate has no option ${JSON.stringify(name)}. ${near.length > 0 ? didYouMean(near) : othersOf(known)}`,
      );
    }
    const shape = shapes[name as OptionName];
    if (shape && value !== undefined && !shape.has(value))
      throw new AssayError(`\`${name}\` must be ${shape.what}.`);
  }
}
