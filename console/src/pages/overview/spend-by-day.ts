import type { Trends } from '../../parts/trend/trend-points.ts';

/** US dollars of the runs that were made on a day. */
export interface DaySpend {
  /** The day in UTC, such as 2026-03-10. */
  day: string;
  judges: number;
  systems: number;
}

/** The dollars that judges and systems took by the days on which runs were made, the oldest first. */
export function spendByDay({ points }: Pick<Trends, 'points'>): DaySpend[] {
  const days = new Map<string, DaySpend>();
  for (const { run, results } of points) {
    const day = run.createdAt.slice(0, 10);
    const spent = days.get(day) ?? { day, judges: 0, systems: 0 };
    days.set(day, spent);
    spent.judges += run.costUsd;
    spent.systems += results.metrics.find(({ metricId }) => metricId === 'cost')?.sum ?? 0;
  }
  return [...days.values()];
}
