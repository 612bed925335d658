import type { Verdict } from '@assay/contracts/results';
import type { Interval } from '@assay/statistics/interval';
import type { PairStatistics } from './pairs.ts';
import { decide } from './verdict.ts';

interface ShownAnytime {
  anytimePValue: number | null;
  anytimeAdjustedPValue: number | null;
  anytimeInterval: Interval | null;
  anytimeMethod: string;
  anytimeVerdict: Verdict;
}

/** The anytime figures of metrics that are compared together, by Holm's correction over them. */
export function anytimeFigures(
  metrics: readonly Pick<PairStatistics, 'anytime' | 'difference' | 'lowerIsBetter'>[],
  level: number,
): ShownAnytime[] {
  const decisions = decide(
    metrics.map(({ anytime: { pValue }, ...metric }) => ({ ...metric, pValue })),
    level,
  );
  return metrics.map(({ anytime: { pValue, interval, method } }, place) => ({
    anytimePValue: pValue,
    anytimeAdjustedPValue: decisions[place]!.adjustedPValue,
    anytimeInterval: interval,
    anytimeMethod: method,
    anytimeVerdict: decisions[place]!.verdict,
  }));
}
