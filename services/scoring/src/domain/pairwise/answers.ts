import type { Judgement, ScoreFailureCode } from '@assay/contracts/run-records';
import { nanoCostOf } from '../allowance.ts';
import { type Preference, preferenceOf } from '../judging/answer.ts';

/** The two questions about a pair: the baseline's outputs are shown first, or the candidate's. */
export type Order = 'forward' | 'backward';

/** The answer to one question about a pair, as it is kept. */
export interface StoredAnswer {
  /** Whom the judge prefers; nobody where there is no answer. */
  prefers: 'baseline' | 'candidate' | 'tie' | 'nobody';
  preferred: Preference | null;
  reasoning: string | null;
  votes: Preference[];
  nanoUsd: number;
  failure: { code: ScoreFailureCode; message: string } | null;
}

/** Returns the answer that the outcome of a judgement is, of a question in this order. */
export function answerOf(order: Order, outcome: Judgement['outcome']): StoredAnswer {
  const nanoUsd = nanoCostOf(outcome);
  if (outcome.kind !== 'score') {
    // A judge of pairs always prefers one, or neither.
    const { code, message } =
      outcome.kind === 'failure'
        ? outcome
        : { code: 'invalid_answer' as const, message: outcome.reasoning };
    return {
      prefers: 'nobody',
      preferred: null,
      reasoning: null,
      votes: [],
      nanoUsd,
      failure: { code, message },
    };
  }
  const preferred = preferenceOf(outcome.value);
  return {
    prefers: preferredSide(order, preferred),
    preferred,
    reasoning: outcome.reasoning,
    votes: (outcome.votes ?? []).map(preferenceOf),
    nanoUsd,
    failure: null,
  };
}

/** Returns who is meant by the slot that a judge prefers. */
export function preferredSide(
  order: Order,
  preferred: Preference,
): 'baseline' | 'candidate' | 'tie' {
  if (preferred === 'tie') return 'tie';
  return (preferred === 'first') === (order === 'forward') ? 'baseline' : 'candidate';
}

/** Returns the slot in which a side is shown. */
export const slotOf = (order: Order, side: 'baseline' | 'candidate'): 'first' | 'second' =>
  (side === 'baseline') === (order === 'forward') ? 'first' : 'second';
