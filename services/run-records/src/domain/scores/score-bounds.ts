import { type Failure, invalidAt } from '@assay/contracts/failure';
import type { ScoreStates } from '../accounts/score-states.ts';

/**
 * All scores of a record together. They stand in one document, which MongoDB ends at 16 MiB, and a
 * page has a hundred of them.
 */
const scoresBytesMax = 1024 * 1024;

/** Bytes of a score beside its text: its member, metric version and time. */
const besideBytes = 256;

/**
 * The length of the reasons that the service keeps of a judge or an evaluator, in characters, and
 * the length if the record has no room left.
 */
const reasoningCharactersMax = 10_000;
const shortCharactersMax = 200;
/** The length of the reasons that are kept with a judgement, beside its score, in characters. */
const judgedCharactersMax = 2000;

const scoresBytes = ({ scores }: Pick<ScoreStates, 'scores'>): number =>
  scores.reduce((sum, { text }) => sum + Buffer.byteLength(text) + besideBytes, 0);

/**
 * Why the scores of a record would exceed the bound when a client gives one. A record that exceeds
 * it before, because it is older than the bound, may not grow.
 */
export function roomFailure(
  before: ScoreStates,
  after: ScoreStates,
  path = '/score',
): Failure | undefined {
  const bytes = scoresBytes(after);
  if (bytes <= scoresBytesMax || bytes <= scoresBytes(before)) return undefined;
  return invalidAt(
    path,
    `would make the scores of the record larger than ${scoresBytesMax} bytes together`,
  );
}

/** @throws VALIDATION_ERROR at the path of the scores. */
export function checkRoom(...change: Parameters<typeof roomFailure>): void {
  const failure = roomFailure(...change);
  if (failure) throw failure;
}

/** Cuts the reasons of a score that the service made to the length that the record has room for. */
export const scoreReasoning = (states: ScoreStates, reasoning: string): string =>
  shortened(
    reasoning,
    scoresBytes(states) + reasoning.length < scoresBytesMax
      ? reasoningCharactersMax
      : shortCharactersMax,
  );

export const judgedReasoning = (reasoning: string): string =>
  shortened(reasoning, judgedCharactersMax);

const shortened = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
