import type { Json, Scorer, ScoreValue } from './evaluation.ts';
import type { CallResult } from './execution.ts';
import type { Note } from './notes.ts';

export type OutputType = 'boolean' | 'int' | 'float';

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
  /** The type of a scorer's metric; undefined as long as its values have not told it. */
  typeOf(name: string): OutputType | undefined;
  /** Fixes a type that is known from elsewhere. */
  setType(name: string, type: OutputType): void;
  areKnown(): boolean;
  /** Ends the wait for types: a scorer that only ever said 1 gives numbers from 0 to 1. */
  settle(): void;
  /** Problems by scorer: how many, and the first of them. */
  problems: Map<string, { count: number; first: string }>;
}

const reasoningCharactersMax = 10_000;

export function createScorers(scores: Record<string, Scorer> = {}): Scorers {
  const names = Object.keys(scores);
  const types = new Map<string, OutputType>();
  const onlyOnes = new Set<string>();
  const problems: Scorers['problems'] = new Map();

  function learn({ name, value }: OwnScore): void {
    if (value === null || types.has(name)) return;
    const type = outputTypeOf(value);
    if (type) types.set(name, type);
    else onlyOnes.add(name);
  }

  function note(name: string, problem: string): void {
    const { count, first } = problems.get(name) ?? { count: 0, first: problem };
    problems.set(name, { count: count + 1, first });
  }

  async function scoreBy(
    name: string,
    { testcase, outputs, error }: CallResult,
  ): Promise<OwnScore | undefined> {
    if (error && !takesError(scores[name]!)) return undefined;
    const record = structuredClone({
      inputs: testcase.inputs,
      expected: testcase.expected,
      outputs,
      ...(error ? { error } : {}),
    });
    try {
      const score = readScore(name, await scores[name]!(record));
      if (score.problem) note(name, score.problem);
      else learn(score);
      return score;
    } catch (thrown) {
      const problem = `The scorer failed: ${thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown)}`;
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
    typeOf: (name) => types.get(name),
    setType: (name, type) => void types.set(name, type),
    areKnown: () => names.every((name) => types.has(name)),
    settle: () => {
      for (const name of onlyOnes) if (!types.has(name)) types.set(name, 'float');
    },
    problems,
  };
}

/** Whether a scorer names `error` among its parameters. */
function takesError(scorer: Scorer): boolean {
  const [parameters = ''] = /^[^=]*?\([^)]*\)|^[^=]*=>/.exec(String(scorer)) ?? [];
  return /\berror\b/.test(parameters);
}

const ownScore = (name: string, problem: string): OwnScore => ({
  name,
  value: null,
  reasoning: undefined,
  problem: problem.slice(0, reasoningCharactersMax).toWellFormed(),
});

function readScore(name: string, said: unknown): OwnScore {
  const isWrapped = typeof said === 'object' && said !== null;
  const { value, reasoning } = (isWrapped ? said : { value: said }) as Json;
  if (!isScore(value))
    return ownScore(
      name,
      `The scorer returned ${String(JSON.stringify(said)).slice(0, 100)}: a score is true or false, a number from 0 to 1, a whole number from 1 to 5, or null.`,
    );
  const text = typeof reasoning === 'string' ? reasoning : undefined;
  return {
    name,
    value,
    reasoning: text?.slice(0, reasoningCharactersMax).toWellFormed(),
    problem: undefined,
  };
}

const isScore = (value: unknown): value is ScoreValue =>
  value === null ||
  typeof value === 'boolean' ||
  (typeof value === 'number' &&
    ((value >= 0 && value <= 1) || (Number.isInteger(value) && value >= 1 && value <= 5)));

/** 1 is of both scales, and tells nothing. */
function outputTypeOf(value: boolean | number): OutputType | undefined {
  if (typeof value === 'boolean') return 'boolean';
  if (value === 1) return undefined;
  return value > 1 ? 'int' : 'float';
}

const valueField = { boolean: 'binaryScore', int: 'intScore', float: 'floatScore' } as const;

/**
 * A score as the service takes it. One without a value is stored with its problem, and is missing
 * no more.
 */
export function scoreBody({ value, reasoning, problem }: OwnScore, type: OutputType): Json {
  if (problem !== undefined) return { reasoning: problem };
  if (value === null) return { value: null, reasoning: reasoning ?? 'Does not apply.' };
  const text = reasoning === undefined ? {} : { reasoning };
  return { [fits(value, type) ? valueField[type] : 'value']: value, ...text };
}

function fits(value: boolean | number, type: OutputType): boolean {
  if (type === 'boolean') return typeof value === 'boolean';
  if (typeof value === 'boolean') return false;
  return type === 'int' ? Number.isInteger(value) && value >= 1 : value <= 1;
}

/** The failures of own scorers, by their names. */
export const problemNotes = ({ problems }: Pick<Scorers, 'problems'>): Note[] =>
  [...problems].map(([name, { count, first }]) => ({
    text: `The scorer ${JSON.stringify(name)} failed on ${count} ${count === 1 ? 'record' : 'records'}. ${first}`,
    isFailure: true,
  }));
