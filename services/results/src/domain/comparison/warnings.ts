import { leastFlipsPValue, type PairStatistics } from './pairs.ts';
import type { ComparedMetric, Sides } from './sides.ts';
import type { ValuesOfBoth } from './values.ts';

type TestedPairs = Pick<PairStatistics, 'paired' | 'numGroups' | 'guard'>;

/** The warnings for a reader of one metric's comparison; left out if there are none. */
export function warningsOf({
  metric,
  gathered,
  statistics,
  level,
}: {
  metric: ComparedMetric;
  gathered: ValuesOfBoth;
  statistics: TestedPairs;
  level: number;
}): { warnings?: string[] } {
  const warnings = [
    ...(metric.baseline.metricVersionId === metric.candidate.metricVersionId
      ? []
      : [
          "The runs were scored with different versions of this metric, so a difference may be the metric's.",
        ]),
    ...missingValues(gathered, metric, 'baseline'),
    ...missingValues(gathered, metric, 'candidate'),
    ...fewUnits(statistics, level),
    ...fewLargeChanges(statistics),
  ];
  return warnings.length > 0 ? { warnings } : {};
}

function missingValues(
  gathered: ValuesOfBoth,
  metric: ComparedMetric,
  side: keyof Sides,
): string[] {
  const { places, columns } = gathered[side];
  const { valued, unnamed } = columns.get(metric[side].metricVersionId)!;
  return [
    ...(valued === places.size
      ? []
      : [
          `Without a score that counts: ${places.size - valued} of ${places.size} testcases of the ${side} run.`,
        ]),
    ...(unnamed === 0
      ? []
      : [
          `Left out: ${counted(unnamed, 'score')} of the ${side} run, of records without a testcase.`,
        ]),
  ];
}

/**
 * Of units that cannot decide anything, even if all of them changed in one direction. McNemar's
 * mid-p value counts what was observed by half, so it is half of that of the flips.
 */
function fewUnits({ paired, numGroups, guard }: TestedPairs, level: number): string[] {
  const isGuarded = guard !== null;
  const count = numGroups ?? paired;
  if (leastFlipsPValue(isGuarded ? count : count + 1) <= 1 - level) return [];
  const units = counted(count, numGroups === undefined ? 'pair' : 'group');
  return [
    isGuarded
      ? `${units}: too few for a verdict at this level, and for an interval.`
      : `${units}: too few to decide anything at this level.`,
  ];
}

const fewLargeChanges = ({ guard }: TestedPairs): string[] =>
  guard === 'held'
    ? ['A few large changes carry the mean. They may be chance, so nothing is decided.']
    : [];

const counted = (count: number, name: string): string =>
  `${count} ${name}${count === 1 ? '' : 's'}`;
