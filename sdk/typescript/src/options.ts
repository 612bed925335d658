import { baselineForms } from '@assay/client/find';
import { didYouMean } from '@assay/client/named';
import { allowanceForms, isAllowance, isShare, shareForms } from '@assay/comparison/gate/limits';
import { isObject } from '@assay/json/value';
import { jsonFault } from './conversion.ts';
import { variable } from './environment.ts';
import type { Gate, LocalOptions, Scorer, ServerOptions } from './evaluation.ts';
import { AssayError } from './failure.ts';
import { checkShapes } from './option-shapes.ts';
import { checkParameters } from './scorer-arguments.ts';

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

/** All options of `evaluate`, with and without a server. */
export const optionNames = [...shared, ...ofServer];

/**
 * Refuses options that are no such thing, so that a slip is not an evaluation of something else.
 * @throws AssayError
 */
export function checkOptions(project: string, options: ServerOptions | LocalOptions): void {
  if (typeof project !== 'string' || !isObject(options))
    throw new AssayError(
      'evaluate takes the name of a project, and an object of options: evaluate("Support", { testset: "Questions", system }).',
    );
  const known = [...shared, ...(options.local ? [] : ofServer)];
  checkShapes(options, known);
  if (options.system === undefined)
    throw new AssayError(
      '`system` must be a function that gets the inputs of a testcase and returns its outputs, such as system: ({ question }) => ({ answer: question }).',
    );
  if (options.limit !== undefined && options.sample !== undefined)
    throw new AssayError('`limit` and `sample` exclude each other: give one of them.');
  for (const [name, scorer] of Object.entries(options.scores ?? {})) checkScorer(name, scorer);
  if (options.local && options.metrics !== undefined && !Array.isArray(options.metrics))
    throw new AssayError('`metrics` of a local evaluation must be a list of metrics.');
  if (!options.local) {
    if (options.gate !== undefined) checkGate(options.gate);
    checkPasses(options);
    checkPart(options);
    checkPromotion(options);
    checkNames(options);
    checkValues(options);
    checkOwnTestcases(options);
    if (typeof options.testset !== 'string')
      throw new AssayError('`testset` must be the name or the id of a testset.');
  }
}

const ofScaledScorer = ['scorer', 'min', 'max', 'lowerIsBetter'];

/** A scorer is a function, or one with the scale of its values. */
function checkScorer(name: string, given: unknown): void {
  const told = `The scorer ${JSON.stringify(name)} of \`scores\``;
  if (typeof given === 'function') {
    checkParameters(told, given as Scorer);
    return;
  }
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
  checkParameters(told, given.scorer as Scorer);
}

function checkPart({ limit, sample, where, keys, retryErrors, resume }: ServerOptions): void {
  const isNumbered = limit !== undefined || sample !== undefined;
  if (isNumbered && (where !== undefined || keys !== undefined))
    throw new AssayError(
      '`where` and `keys` say which testcases are meant: leave out `limit` and `sample`.',
    );
  if (retryErrors && (resume ?? variable('ASSAY_RESUME')) === undefined)
    throw new AssayError('`retryErrors` needs a run to complete: give its id as `resume`.');
}

/** The options that are data, which becomes JSON by the rule of a system's answers. */
function checkValues({ config, where, versionName }: ServerOptions): void {
  for (const [name, value] of Object.entries({ config, where })) {
    const fault = jsonFault(value);
    if (fault !== undefined)
      throw new AssayError(`\`${name}\` must be data that JSON can say. ${fault}`);
  }
  // A script that `assay run` started may have its config from there.
  if (versionName !== undefined && config === undefined && !variable('ASSAY_RUN_OPTIONS'))
    throw new AssayError('`versionName` names the version of `config`: give that, too.');
}

/** A part of a testset is the baseline of no whole one. */
function checkPromotion({ setBaseline, limit, sample, where, keys }: ServerOptions): void {
  if (setBaseline && [limit, sample, where, keys].some((part) => part !== undefined))
    throw new AssayError(
      '`setBaseline` needs all of the testset: leave out `limit`, `sample`, `where` and `keys`.',
    );
}

/** A run that is completed has repeats of its own. */
function checkPasses({ gate, trials = 1, resume }: ServerOptions): void {
  const passes = gate?.minPasses ?? 1;
  if (passes <= trials || (resume ?? variable('ASSAY_RESUME')) !== undefined) return;
  throw new AssayError(
    `\`minPasses\` of \`gate\` is ${passes}, and a testcase has ${trials} ${trials === 1 ? 'record' : 'records'}: no testcase could pass. Raise \`trials\`.`,
  );
}

function checkOwnTestcases({ testcases, key, sync }: ServerOptions): void {
  if (testcases === undefined && (key !== undefined || sync))
    throw new AssayError(`\`${sync ? 'sync' : 'key'}\` is about \`testcases\`: give these, too.`);
}

/** The limits of a gate, each with its rule and the words for it. */
const gateLimits: Record<keyof Gate, { isFitting: (value: unknown) => boolean; what: string }> = {
  maxRegression: { isFitting: isFrom(0, Number.MAX_VALUE), what: 'a number of at least 0' },
  minPassRate: { isFitting: isShare, what: shareForms },
  minPasses: {
    isFitting: (value) => Number.isInteger(value) && isFrom(1, 100)(value),
    what: 'a whole number from 1 to 100',
  },
  maxErrors: { isFitting: isAllowance, what: allowanceForms },
  allowMissing: { isFitting: isAllowance, what: allowanceForms },
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
