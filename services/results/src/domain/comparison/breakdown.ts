import type { Identity } from '@assay/contracts/define';
import type { ComparisonBreakdown } from '@assay/contracts/results';
import { fitToVerdict } from '@assay/statistics/interval';
import { type Buckets, findBuckets } from '../breakdown/buckets.ts';
import type { Dependencies } from '../dependencies.ts';
import { type ComparedSides, toMetricPairs } from './compare-sides.ts';
import type { PairStatistics } from './pairs.ts';
import { heldFigures } from './provider-limits.ts';
import type { ComparedMetric, Sides } from './sides.ts';
import { commonTestcases, pairsOf, type ValuesOfBoth } from './values.ts';
import { decide, signOf } from './verdict.ts';

type BreakdownDependencies = Pick<Dependencies, 'runRecords' | 'ask' | 'compare'>;
type Cell = ComparisonBreakdown['rows'][number]['metrics'][number];

interface BreakdownRequest {
  sides: Sides;
  metrics: readonly ComparedMetric[];
  level: number;
  breakdownBy: string;
  compared: ComparedSides;
  /** The values without errors by a provider's limits, where a verdict has to hold without them. */
  without: ValuesOfBoth | undefined;
}

/**
 * The comparison by the values of a field, or by the tags of the records of either run. Holm's
 * correction is over all of its cells: the more values and metrics, the more it asks of each.
 */
export async function breakDownComparison(
  { runRecords, ask, compare }: BreakdownDependencies,
  identity: Identity,
  { sides, metrics, level, breakdownBy, compared, without }: BreakdownRequest,
): Promise<ComparisonBreakdown> {
  const { gathered, groups } = compared;
  const testcaseIds = commonTestcases(gathered);
  const buckets = await findBuckets({ runRecords, ask }, identity, {
    breakdownBy,
    path: '/breakdownBy',
    runs: [sides.baseline, sides.candidate],
    members: { of: 'testcase', testcases: new Map(testcaseIds.map((id) => [id, id])) },
    metrics: metrics.length,
  });
  const cellsIn = (values: ValuesOfBoth) =>
    cellsOf({ compare }, { buckets, metrics, level, groups, gathered: values });
  const [cells, others] = [await cellsIn(gathered), without && (await cellsIn(without))];
  const held = cells.map((cell, place) => (others ? heldFigures(cell, others[place]!) : cell));
  return {
    by: buckets.by,
    rows: buckets.rows.map(({ value, members }, row) => ({
      value,
      testcases: members.length,
      metrics: held.slice(row * metrics.length, (row + 1) * metrics.length),
    })),
    other: { values: buckets.other.values, testcases: buckets.other.members },
  };
}

/** Row by row, the cell of each metric. */
async function cellsOf(
  { compare }: Pick<Dependencies, 'compare'>,
  {
    buckets: { rows },
    metrics,
    level,
    groups,
    gathered,
  }: Pick<BreakdownRequest, 'metrics' | 'level'> & {
    buckets: Buckets;
    groups: ReadonlyMap<string, number> | undefined;
    gathered: ValuesOfBoth;
  },
): Promise<Cell[]> {
  const compared: { metric: ComparedMetric; statistics: PairStatistics }[] = [];
  for (const { members } of rows)
    for (const metric of metrics) {
      const pairs = toMetricPairs(pairsOf(members, gathered, metric), { metric, level, groups });
      compared.push({ metric, statistics: await compare(pairs) });
    }
  const decisions = decide(
    compared.map(({ statistics }) => statistics),
    level,
  );
  return compared.map(({ metric: { candidate }, statistics }, place): Cell => {
    const { adjustedPValue, verdict } = decisions[place]!;
    const { paired, baselineMean, candidateMean, difference, pValue } = statistics;
    const sign = signOf(verdict, statistics);
    return {
      metricId: candidate.metricId,
      paired,
      baselineMean,
      candidateMean,
      difference,
      confidenceInterval: fitToVerdict(statistics.confidenceInterval, sign),
      pValue,
      adjustedPValue,
      verdict,
      improved: statistics.improved,
      regressed: statistics.regressed,
    };
  });
}
