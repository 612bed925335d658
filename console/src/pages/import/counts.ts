import { countOf } from '../../text/format.ts';
import type { Overview } from './overview.ts';

const nouns = {
  testcase: 'testcase',
  metric: 'metric',
  system: 'system version',
  run: 'run',
  record: 'record',
  score: 'score',
  annotation: 'annotation',
} as const;

/** "1 testset, 120 testcases, 2 metrics, 1 run, 120 records, 240 scores". */
export function inWords({ testsets, counts }: Overview, answers: string[]): string {
  const counted = answers.length > 0 ? { ...counts, run: answers.length, record: 0 } : counts;
  const parts = Object.entries(nouns).flatMap(([kind, noun]) => {
    const count = counted[kind as keyof typeof nouns];
    return count > 0 ? [countOf(count, noun)] : [];
  });
  if (testsets.length > 0) parts.unshift(countOf(testsets.length, 'testset'));
  return parts.join(', ');
}
