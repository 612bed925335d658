import type { ReplyOf } from '@assay/client/operations';
import { countOf, formatShare } from './format.ts';
import { probability } from './verdicts.ts';

export type PairwiseResults = NonNullable<
  ReplyOf<'GET', '/pairwise-comparisons/:pairwiseComparisonId'>['results']
>;
export type PairResult = PairwiseResults['pairs'][number];
type Share = NonNullable<PairwiseResults['consistency']>;

const words = { better: 'Better', worse: 'Worse', undecided: 'Undecided' } as const;

/** A difference of shares in points of a hundred, with its sign. */
const points = (difference: number): string =>
  `${difference < 0 ? '−' : '+'}${Math.abs(100 * difference).toFixed(0)}`;

/**
 * The result for two runs, whole: "Better: Atlas v4 won 61 testcases and lost 22 to Atlas v3; 17
 * were ties (95 % interval of the difference +26 to +52 points; adjusted p 0.0003)."
 */
export function pairSentence(
  { wins, losses, ties, failed, verdict, confidenceInterval, adjustedPValue, ...runs }: PairResult,
  names: (runId: string) => string,
): string {
  const interval = confidenceInterval
    ? ` (95 % interval of the difference ${points(confidenceInterval.low)} to ${points(confidenceInterval.high)} points${adjustedPValue === null ? '' : `; adjusted p ${probability(adjustedPValue)}`})`
    : '';
  const failures = failed > 0 ? ` ${countOf(failed, 'testcase')} could not be judged.` : '';
  return `${words[verdict]}: ${names(runs.candidateRunId)} won ${countOf(wins, 'testcase')} and lost ${losses} to ${names(runs.baselineRunId)}; ${ties} ${ties === 1 ? 'was a tie' : 'were ties'}${interval}.${failures}`;
}

const withInterval = ({ share, confidenceInterval: { low, high } }: Share): string =>
  `${formatShare(share)}, 95 % interval ${formatShare(low)} to ${formatShare(high)}`;

/** How far the judge agrees with itself when the order is swapped, and which place it prefers. */
export function judgeSentences({ consistency, firstSlotPreference }: PairwiseResults): string[] {
  if (!consistency) return [];
  const agreed = `In both orders the judge said the same of ${consistency.count} of ${countOf(consistency.of, 'pair')} (${withInterval(consistency)}).`;
  if (!firstSlotPreference) return [agreed];
  const { count, of, confidenceInterval } = firstSlotPreference;
  const preference =
    confidenceInterval.low > 0.5
      ? 'it prefers the answer that it sees first'
      : confidenceInterval.high < 0.5
        ? 'it prefers the answer that it sees second'
        : 'no place is clearly preferred';
  return [
    agreed,
    `Of its ${countOf(of, 'contradiction')}, ${count} leaned to the answer shown first (${withInterval(firstSlotPreference)}): ${preference}.`,
  ];
}
