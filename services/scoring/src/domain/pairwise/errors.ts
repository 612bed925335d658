import type { Judgement } from '@assay/contracts/run-records';
import { preferenceValue } from '../judging/answer.ts';
import { type Order, slotOf } from './answers.ts';

interface ComparedRecord {
  /** Why its system gave no answer. */
  error?: object | undefined;
}

/**
 * The outcome of a pair that no judge is asked about: a side whose system failed loses, and two are
 * a tie (contract section 5, Scores). Undefined where both systems answered.
 */
export function outcomeOfErrors(
  order: Order,
  metricVersionId: string,
  [baseline, candidate]: (ComparedRecord | undefined)[],
): Judgement['outcome'] | undefined {
  if (!baseline || !candidate || !(baseline.error || candidate.error)) return undefined;
  const provenance = { metricVersionId, evaluator: 'judge', durationMs: 0, attempts: 0 };
  const made = { kind: 'score' as const, source: 'heuristic' as const, provenance };
  if (baseline.error && candidate.error)
    return { ...made, value: preferenceValue('tie'), reasoning: 'The systems of both failed.' };
  const winner = slotOf(order, baseline.error ? 'candidate' : 'baseline');
  return {
    ...made,
    value: preferenceValue(winner),
    reasoning: 'The system of the other one failed.',
  };
}
