import { comparePairs, type MetricPairs } from '@assay/results/comparison/pairs';
import { decide } from '@assay/results/comparison/verdict';
import { fitToVerdict } from '@assay/statistics/interval';
import { wilsonInterval } from '@assay/statistics/proportions';
import type { Row } from '../report.ts';

export const level = 0.95;

/** Pairs, with the true difference of the systems that they come from. */
export interface Case {
  pairs: Omit<MetricPairs, 'level'>;
  truth: number;
}

/** How many comparisons of `draws` decided, erred and contradicted themselves. */
export interface Observation {
  draws: number;
  verdicts: number;
  /** Verdicts that say the direction of the truth. */
  right: number;
  covered: number;
  /** The interval says something else than the verdict. */
  contradictions: number;
}

/** Compares simulated pairs, one draw after the other. */
export function observe(draws: number, draw: () => Case): Observation {
  const seen = { draws, verdicts: 0, right: 0, covered: 0, contradictions: 0 };
  for (let repeat = 0; repeat < draws; repeat++) {
    const { pairs, truth } = draw();
    const compared = comparePairs({ ...pairs, level });
    const { verdict } = decide([compared], level)[0]!;
    const isDecided = verdict !== 'undecided';
    const { low, high } = fitToVerdict(compared.confidenceInterval, verdict) ?? {
      low: -Infinity,
      high: Infinity,
    };
    if (isDecided) seen.verdicts++;
    if (isDecided && verdict === (truth > 0 ? 'better' : 'worse')) seen.right++;
    // An interval that is cut at 0 ends there without 0.
    if (truth === 0 && (low === 0 || high === 0)) seen.covered += Number(!isDecided);
    else if (low <= truth + 1e-12 && truth - 1e-12 <= high) seen.covered++;
    if (isDecided ? low < 0 && high > 0 : low > 0 || high < 0) seen.contradictions++;
  }
  return seen;
}

interface Bar {
  atMost?: number;
  atLeast?: number;
}

/** A share of draws as a line of the table: a bar counts as reached where the true share may be. */
export function shareRow(measure: string, [count, of]: [number, number], bar: Bar = {}): Row {
  const { low, high } = wilsonInterval({ successes: count, trials: of })!;
  const { atMost = 1, atLeast = 0 } = bar;
  const [share, from, to] = [count / of, low, high].map((value) => (value * 100).toFixed(1));
  const percent = (value: number): string => String(Math.round(value * 1000) / 10);
  const reach = [
    ...(bar.atLeast === undefined ? [] : [`≥ ${percent(bar.atLeast)} %`]),
    ...(bar.atMost === undefined ? [] : [`≤ ${percent(bar.atMost)} %`]),
  ].join(', ');
  return {
    question: 'verdicts',
    measure,
    ours: `${share} % (${from}–${to})`,
    ...(reach === '' ? {} : { reach, isReached: low <= atMost && high >= atLeast }),
  };
}
