import { type StatedScale, scoreValue } from '@assay/contracts/scale';
import type { Json, ScaledScorer, Scorer, ScorerScale, ScoreValue } from './evaluation.ts';
import { forUsersCode } from './exact-numbers.ts';
import type { CallResult } from './execution.ts';
import { AssayError } from './failure.ts';
import type { Note } from './notes.ts';
import { argumentsOf, takesError } from './scorer-arguments.ts';
import { createScorerMetric } from './scorer-metric.ts';
import { systemErrorOf } from './system-error.ts';

/** The score that a scorer of the user gave to one record. */
export interface OwnScore {
  name: string;
  value: ScoreValue;
  reasoning: string | undefined;
  /** Why there is no value, where the scorer should have given one. */
  problem: string | undefined;
}

export interface Scorers {
  names: string[];
  /**
   * Scores a record; a scorer that fails is a problem of its score. Where the system failed, only
   * scorers are called that take `error`.
   */
  score(result: CallResult): Promise<OwnScore[]>;
  /** A scorer's metric; undefined as long as neither a scale nor its values have told it. */
  metricOf(name: string): StatedScale | undefined;
  /** Fixes a metric that the project has. */
  setMetric(name: string, metric: StatedScale): void;
  areKnown(): boolean;
  /** Ends the wait for types: a scorer that only ever said 1 gives numbers from 0 to 1. */
  settle(): void;
  /** Problems by scorer: how many, and the first of them. */
  problems: Map<string, { count: number; first: string }>;
  /** Where the first of the scorers that threw did so. */
  firstStack(): string | undefined;
  /** How many values of a scorer do not fit its metric. */
  outsideOf(name: string): number;
  /** The sentences on values that do not fit their metrics. */
  outsideSentences(): string[];
}

const reasoningCharactersMax = 10_000;

export function createScorers(scores: Record<string, Scorer | ScaledScorer> = {}): Scorers {
  const names = Object.keys(scores);
  const scorers = new Map(
    Object.entries(scores).map(([name, given]) => {
      const { scorer, ...scale } = typeof given === 'function' ? { scorer: given } : given;
      return [name, { scorer, metric: createScorerMetric(name, scale) }];
    }),
  );
  const problems: Scorers['problems'] = new Map();
  let firstStack: string | undefined;

  function note(name: string, problem: string): void {
    const { count, first } = problems.get(name) ?? { count: 0, first: problem };
    problems.set(name, { count: count + 1, first });
  }

  async function scoreBy(
    name: string,
    { testcase, outputs, error }: CallResult,
  ): Promise<OwnScore | undefined> {
    const { scorer, metric } = scorers.get(name)!;
    if (error && !takesError(scorer)) return undefined;
    const { inputs, expected, metadata } = testcase;
    const seen = forUsersCode({ inputs, expected, metadata, outputs });
    const record = structuredClone({ ...seen, ...(error ? { error } : {}) });
    try {
      const { scale, ...score } = readScore(name, await scorer(argumentsOf(scorer, record)));
      if (score.problem) note(name, score.problem);
      else metric.learn(score.value, scale);
      return score;
    } catch (thrown) {
      if (thrown instanceof AssayError) throw thrown;
      const { name: kind, message, stack } = systemErrorOf(thrown);
      firstStack ??= stack;
      const problem = `The scorer failed: ${kind}: ${message}`.slice(0, reasoningCharactersMax);
      note(name, problem);
      return ownScore(name, problem);
    }
  }

  return {
    names,
    score: async (result) => {
      const given = await Promise.all(names.map((name) => scoreBy(name, result)));
      return given.filter((score) => score !== undefined);
    },
    metricOf: (name) => scorers.get(name)!.metric.metric(),
    setMetric: (name, metric) => scorers.get(name)!.metric.setMetric(metric),
    areKnown: () => [...scorers.values()].every(({ metric }) => metric.metric() !== undefined),
    settle: () => {
      for (const { metric } of scorers.values()) metric.settle();
    },
    outsideOf: (name) => scorers.get(name)!.metric.outside().count,
    outsideSentences: () =>
      [...scorers.values()].flatMap(({ metric }) => metric.outsideSentence() ?? []),
    problems,
    firstStack: () => firstStack,
  };
}

const ownScore = (name: string, problem: string): OwnScore => ({
  name,
  value: null,
  reasoning: undefined,
  problem: problem.slice(0, reasoningCharactersMax).toWellFormed(),
});

/** Reads a plain score, `{ value, … }`, or `{ score, metadata }` as autoevals has it. */
function readScore(name: string, said: unknown): OwnScore & { scale: ScorerScale } {
  const wrapped = typeof said === 'object' && said !== null ? (said as Json) : { value: said };
  const value = 'value' in wrapped ? wrapped.value : wrapped.score;
  const { min, max, lowerIsBetter } = wrapped as ScorerScale;
  const scale = { min, max, lowerIsBetter } as ScorerScale;
  if (!isScore(value))
    return {
      scale: {},
      ...ownScore(
        name,
        `The scorer returned ${String(JSON.stringify(said)).slice(0, 100)}: a score is true or false, a number, or null.`,
      ),
    };
  const { reasoning = (wrapped.metadata as Json | undefined)?.rationale } = wrapped;
  const text = typeof reasoning === 'string' ? reasoning : undefined;
  return {
    name,
    value,
    scale,
    reasoning: text?.slice(0, reasoningCharactersMax).toWellFormed(),
    problem: undefined,
  };
}

const isScore = (value: unknown): value is ScoreValue =>
  value === null || typeof value === 'boolean' || Number.isFinite(value);

const valueField = { boolean: 'binaryScore', int: 'intScore', float: 'floatScore' } as const;

/**
 * A score as the service takes it. One without a value is stored with its problem, and is missing
 * no more.
 */
export function scoreBody({ value, reasoning, problem }: OwnScore, metric: StatedScale): Json {
  if (problem !== undefined) return { reasoning: problem };
  if (value === null) return { value: null, reasoning: reasoning ?? 'Does not apply.' };
  const text = reasoning === undefined ? {} : { reasoning };
  const isFitting = scoreValue(metric, value) !== undefined;
  return { [isFitting ? valueField[metric.outputType] : 'value']: value, ...text };
}

/** What to give where an evaluation has neither metrics nor scorers. */
export const nothingScoresSentence = (example = 'Correct answer'): string =>
  `Nothing scores this evaluation: give \`metrics\`, such as [${JSON.stringify(example)}], or \`scores\`. Empty \`metrics\` say that the answers are only to be stored.`;

/** The failures of own scorers by their names, and their values that do not fit. */
export const problemNotes = ({
  problems,
  outsideSentences,
}: Pick<Scorers, 'problems' | 'outsideSentences'>): Note[] =>
  [
    ...[...problems].map(
      ([name, { count, first }]) =>
        `The scorer ${JSON.stringify(name)} failed on ${count} ${count === 1 ? 'record' : 'records'}, and gave no score there (counted as invalid). ${first}`,
    ),
    ...outsideSentences(),
  ].map((text) => ({ text, isFailure: true }));
