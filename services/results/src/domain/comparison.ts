import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import type { Comparison, results } from '@assay/contracts/results';
import { isBrokenDownByRunsAlone } from './breakdown/buckets.ts';
import { breakDownComparison } from './comparison/breakdown.ts';
import { planCalibration } from './comparison/calibrated.ts';
import { compareSides, type SidesRequest } from './comparison/compare-sides.ts';
import { planFill } from './comparison/fill.ts';
import { createPairList } from './comparison/pair-list.ts';
import { holdingWithoutLimits, limitsDiffer } from './comparison/provider-limits.ts';
import { withSentences } from './comparison/sentences.ts';
import { comparedMetrics, findSides, type Sides } from './comparison/sides.ts';
import { createTestcaseList } from './comparison/testcase-list.ts';
import { gatherSides } from './comparison/values.ts';
import type { Dependencies } from './dependencies.ts';
import type { KeptResults } from './kept-results.ts';
import { createRememberedAnswers } from './remembered-answers.ts';

type ComparisonBody = Request<(typeof results)['operations']['compareRuns']>['body'];
type ComparisonOptions = Omit<ComparisonBody, 'baselineRunId' | 'candidateRunId'>;

export type ComparisonDependencies = Pick<
  Dependencies,
  'store' | 'runRecords' | 'ask' | 'compare' | 'inTurn'
>;

/**
 * Whether the difference between two runs is real, and where it is (contract section 3, Results).
 */
export function createComparisons({
  store,
  runRecords,
  ask,
  compare,
  inTurn,
  keptResults,
}: ComparisonDependencies & { keptResults: KeptResults }) {
  const onceOf = createRememberedAnswers({ store });

  async function comparisonOf(identity: Identity, body: ComparisonBody): Promise<Comparison> {
    const { baselineRunId, candidateRunId, ...options } = body;
    const sides = await findSides({ runRecords, ask }, identity, {
      baselineRunId,
      candidateRunId,
      place: '/',
    });
    const compared = () => inTurn(() => compareAnew(identity, sides, options));
    if (!isOfRunsAlone(options)) return compared();
    const asked = { kind: 'comparison' as const, runs: [sides.baseline, sides.candidate], options };
    return keptResults.of(identity, asked, compared);
  }

  async function compareAnew(
    identity: Identity,
    sides: Sides,
    { metricIds, calibrateWith, unknownScores, breakdownBy, ...request }: ComparisonOptions,
  ): Promise<Comparison> {
    const metrics = comparedMetrics(sides, metricIds);
    const plan = planCalibration(sides, metrics, calibrateWith);
    const filling =
      unknownScores === 'against_candidate'
        ? await fillingOf(identity, { sides, metrics, namedIds: metricIds, ...request })
        : undefined;
    const wanted = { ...request, groupBy: request.groupBy, sides, metrics, plan, filling };
    const compared = await compareSides({ runRecords, ask, compare }, identity, wanted);
    const { comparison, gathered } = compared;
    const without = limitsDiffer(gathered)
      ? await compareSides({ runRecords, ask, compare }, identity, {
          ...wanted,
          errors: 'withoutLimits',
        })
      : undefined;
    const whole = withSentences(
      without
        ? holdingWithoutLimits(comparison, { gathered, without: without.comparison })
        : comparison,
    );
    if (breakdownBy === undefined) return whole;
    const breakdown = await breakDownComparison({ runRecords, ask, compare }, identity, {
      sides,
      metrics,
      level: request.level,
      breakdownBy,
      compared,
      without: without?.gathered,
    });
    return { ...whole, breakdown };
  }

  /** Reads both runs once more, to know the scores that they lack. */
  async function fillingOf(
    identity: Identity,
    {
      sides,
      metrics,
      namedIds,
      repeats,
      errors,
    }: Pick<SidesRequest, 'sides' | 'metrics' | 'repeats' | 'errors'> & {
      namedIds: readonly string[] | undefined;
    },
  ) {
    const known = await gatherSides(runRecords, identity, { sides, metrics, repeats, errors });
    return { fill: planFill({ sides, metrics, gathered: known, namedIds }), known };
  }

  return {
    compare: (identity: Identity, body: ComparisonBody, key: IdempotencyKey | undefined) =>
      onceOf(identity, key, () => comparisonOf(identity, body)),
    ...createPairList({ runRecords, ask }),
    ...createTestcaseList({ runRecords }),
  };
}

/**
 * Whether the runs' records tell all of the comparison: which labels were drawn, tags, and the
 * metadata of testcases, change by themselves.
 */
const isOfRunsAlone = ({ calibrateWith, groupBy, breakdownBy }: ComparisonOptions): boolean =>
  calibrateWith === undefined &&
  (groupBy === undefined || groupBy.startsWith('/inputs/')) &&
  isBrokenDownByRunsAlone(breakdownBy);
