import { baselineForms } from '@assay/client/find';
import { didYouMean, nearNames } from '@assay/client/named';
import { isAllowance } from '@assay/comparison/gate/limits';
import { isObject } from '@assay/json/value';
import { variable } from './environment.ts';
import type { Gate, LocalOptions, ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';

/** The options that count calls and time, with their defaults and bounds. */
const numbers = {
  trials: { min: 1, max: 100 },
  limit: { min: 1, max: Number.MAX_SAFE_INTEGER },
  sample: { min: 1, max: 1_000_000 },
  seed: { min: 0, max: Number.MAX_SAFE_INTEGER },
  concurrency: { min: 1, max: 1_000 },
  timeoutMs: { min: 1, max: 2_147_483_647 },
  retries: { min: 0, max: 100 },
  rateLimit: { min: 1, max: 1_000_000 },
  patienceMs: { min: 0, max: 2_147_483_647 },
} as const;

const shared = ['system', 'scores', 'trials', 'limit', 'sample', 'seed', 'concurrency'].concat(
  'timeoutMs',
  'retries',
  'rateLimit',
  'quiet',
  'metrics',
  'local',
  'testcases',
);
const ofServer = ['testset', 'config', 'systemName', 'versionName', 'name', 'labels'].concat([
  'budgetUsd',
  'baseline',
  'gate',
  'setBaseline',
  'promote',
  'resume',
  'retryErrors',
  'where',
  'keys',
  'url',
  'apiKey',
  'patienceMs',
  'key',
  'sync',
  'createProject',
]);

/**
 * Refuses options that are no such thing, so that a slip is not an evaluation of something else.
 * @throws AssayError
 */
export function checkOptions(options: ServerOptions | LocalOptions): void {
  const known = [...shared, ...(options.local ? [] : ofServer)];
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) {
      const near = nearNames(name, known);
      throw new AssayError(
        `evaluate has no option ${JSON.stringify(name)}. ${didYouMean(near.length > 0 ? near : known)}`,
      );
    }
    const bounds = numbers[name as keyof typeof numbers];
    if (bounds && value !== undefined) checkNumber(name, value, bounds);
  }
  if (typeof options.system !== 'function')
    throw new AssayError('`system` must be a function: it gets the inputs of a testcase.');
  if (options.limit !== undefined && options.sample !== undefined)
    throw new AssayError('`limit` and `sample` exclude each other: give one of them.');
  for (const [name, scorer] of Object.entries(options.scores ?? {})) checkScorer(name, scorer);
  if (!options.local) {
    if (options.gate !== undefined) checkGate(options.gate);
    checkPart(options);
    checkPromotion(options);
    checkNames(options);
    checkOwnTestcases(options);
    if (typeof options.testset !== 'string')
      throw new AssayError('`testset` must be the name or the id of a testset.');
  }
}

const ofScaledScorer = ['scorer', 'min', 'max', 'lowerIsBetter'];

/** A scorer is a function, or one with the scale of its values. */
function checkScorer(name: string, given: unknown): void {
  if (typeof given === 'function') return;
  const told = `The scorer ${JSON.stringify(name)} of \`scores\``;
  if (typeof given !== 'object' || given === null || !('scorer' in given))
    throw new AssayError(`${told} must be a function, or { scorer, min, max, lowerIsBetter }.`);
  if (typeof given.scorer !== 'function')
    throw new AssayError(`${told} must have a function as its \`scorer\`.`);
  const unknown = Object.keys(given).find((member) => !ofScaledScorer.includes(member));
  if (unknown !== undefined)
    throw new AssayError(
      `${told} has no ${JSON.stringify(unknown)}. ${didYouMean(ofScaledScorer)}`,
    );
  const { min, max, lowerIsBetter } = given as Record<string, unknown>;
  for (const [member, end] of Object.entries({ min, max }))
    if (end !== undefined && end !== null && !Number.isFinite(end))
      throw new AssayError(`${told} must have a number or null as its \`${member}\`.`);
  if (lowerIsBetter !== undefined && typeof lowerIsBetter !== 'boolean')
    throw new AssayError(`${told} must have true or false as its \`lowerIsBetter\`.`);
}

function checkPart({ limit, sample, where, keys, retryErrors, resume }: ServerOptions): void {
  const isNumbered = limit !== undefined || sample !== undefined;
  if (isNumbered && (where !== undefined || keys !== undefined))
    throw new AssayError(
      '`where` and `keys` say which testcases are meant: leave out `limit` and `sample`.',
    );
  if (where !== undefined && !isWhere(where))
    throw new AssayError('`where` must have JSON Pointers with values, such as { "/lang": "de" }.');
  const areKeys = Array.isArray(keys) && keys.every((key) => typeof key === 'string');
  if (keys !== undefined && !(areKeys && keys.length > 0))
    throw new AssayError('`keys` must be a list of keys of testcases.');
  if (retryErrors && (resume ?? variable('ASSAY_RESUME')) === undefined)
    throw new AssayError('`retryErrors` needs a run to complete: give its id as `resume`.');
}

/** A part of a testset is the baseline of no whole one. */
function checkPromotion({ setBaseline, limit, sample, where, keys }: ServerOptions): void {
  if (setBaseline && [limit, sample, where, keys].some((part) => part !== undefined))
    throw new AssayError(
      '`setBaseline` needs all of the testset: leave out `limit`, `sample`, `where` and `keys`.',
    );
}

function checkOwnTestcases({ testcases, key, sync, createProject }: ServerOptions): void {
  for (const [name, value] of Object.entries({ sync, createProject }))
    if (value !== undefined && typeof value !== 'boolean')
      throw new AssayError(`\`${name}\` must be true or false.`);
  if (key !== undefined && (typeof key !== 'string' || key === ''))
    throw new AssayError('`key` must be the name of the column with the keys of `testcases`.');
  if (testcases === undefined && (key !== undefined || sync))
    throw new AssayError(`\`${sync ? 'sync' : 'key'}\` is about \`testcases\`: give these, too.`);
}

const isWhere = (where: unknown): boolean =>
  isObject(where) &&
  Object.keys(where).length > 0 &&
  Object.keys(where).every((pointer) => pointer.startsWith('/'));

/** The limits of a gate, each with its rule and the words for it. */
const gateLimits: Record<keyof Gate, { isFitting: (value: unknown) => boolean; what: string }> = {
  maxRegression: { isFitting: isFrom(0, Number.MAX_VALUE), what: 'a number of at least 0' },
  minPassRate: { isFitting: isFrom(0, 1), what: 'a number from 0 to 1' },
  minPasses: {
    isFitting: (value) => Number.isInteger(value) && isFrom(1, 100)(value),
    what: 'a whole number from 1 to 100',
  },
  maxErrors: { isFitting: isAllowance, what: 'a count such as 3, or a part such as "5%"' },
  allowMissing: { isFitting: isAllowance, what: 'a count such as 3, or a part such as "5%"' },
};

/** @throws AssayError where metrics or the baseline are not told by names. */
function checkNames({ metrics, baseline }: ServerOptions): void {
  const areNames = Array.isArray(metrics) && metrics.every((name) => typeof name === 'string');
  if (metrics !== undefined && !areNames)
    throw new AssayError('`metrics` must be a list of names or ids, such as ["Correct answer"].');
  if (baseline !== undefined && (typeof baseline !== 'string' || baseline.trim() === ''))
    throw new AssayError(`\`baseline\` must be ${baselineForms}.`);
}

function isFrom(min: number, max: number) {
  return (value: unknown): boolean => typeof value === 'number' && value >= min && value <= max;
}

function checkGate(gate: Gate): void {
  if (typeof gate !== 'object' || gate === null || Array.isArray(gate))
    throw new AssayError('`gate` must be an object, such as { maxRegression: 0.02 }.');
  const known = Object.keys(gateLimits);
  for (const [name, value] of Object.entries(gate)) {
    if (!Object.hasOwn(gateLimits, name))
      throw new AssayError(
        `\`gate\` has no ${JSON.stringify(name)}; there is ${known.map((each) => JSON.stringify(each)).join(', ')}.`,
      );
    const { isFitting, what } = gateLimits[name as keyof Gate];
    if (value !== undefined && !isFitting(value))
      throw new AssayError(`\`${name}\` of \`gate\` must be ${what}.`);
  }
  if (gate.minPasses !== undefined && gate.minPassRate === undefined)
    throw new AssayError(
      '`minPasses` of `gate` says what passes for `minPassRate`: give that, too.',
    );
}

function checkNumber(
  name: string,
  value: unknown,
  { min, max }: { min: number; max: number },
): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return;
  const bounds = max > 1e9 ? `of at least ${min}` : `from ${min} to ${max}`;
  throw new AssayError(`\`${name}\` must be a whole number ${bounds}.`);
}
