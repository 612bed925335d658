import { invalidAt } from '@assay/contracts/failure';
import type { Cells } from './cells.ts';

/** All scores of a record together. They stand in one document, which MongoDB ends at 16 MiB, and a page has a hundred of them. */
const scoresBytesMax = 1024 * 1024;

/** What stands beside the text of a score: whose it is, of what, when. */
const besideBytes = 256;

/** What the service keeps of a judge's or an evaluator's reasons, and what it keeps where the record has no room left. */
const reasoningCharactersMax = 10_000;
const shortCharactersMax = 200;
/** What is kept of a judgement's reasons beside its score. */
const judgedCharactersMax = 2000;

const scoresBytes = ({ scores }: Pick<Cells, 'scores'>): number =>
  scores.reduce((sum, { text }) => sum + Buffer.byteLength(text) + besideBytes, 0);

/**
 * Lets a record have the scores that somebody gave it. One that has more than the bound, from before there was one, may have fewer.
 * @throws VALIDATION_ERROR at `/score`.
 */
export function checkRoom(before: Cells, after: Cells): void {
  const bytes = scoresBytes(after);
  if (bytes <= scoresBytesMax || bytes <= scoresBytes(before)) return;
  throw invalidAt('/score', `would make the scores of the record larger than ${scoresBytesMax} bytes together`);
}

/** The reasons of a score that the service made, cut to what the record has room for. */
export const scoreReasoning = (cells: Cells, reasoning: string): string =>
  shortened(reasoning, scoresBytes(cells) + reasoning.length < scoresBytesMax ? reasoningCharactersMax : shortCharactersMax);

export const judgedReasoning = (reasoning: string): string => shortened(reasoning, judgedCharactersMax);

const shortened = (text: string, charactersMax: number): string =>
  text.length <= charactersMax ? text : `${text.slice(0, charactersMax - 1).toWellFormed()}…`;
