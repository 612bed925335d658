import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import type { Comparison, results } from '@assay/contracts/results';
import { planCalibration } from './comparison/calibrated.ts';
import { compareSides } from './comparison/compare-sides.ts';
import { createPairList } from './comparison/pair-list.ts';
import { holdingWithoutLimits, limitsDiffer } from './comparison/provider-limits.ts';
import { comparedMetrics, findSides } from './comparison/sides.ts';
import type { Dependencies } from './dependencies.ts';
import { createRememberedAnswers } from './remembered-answers.ts';

type ComparisonBody = Request<(typeof results)['operations']['compareRuns']>['body'];

/**
 * Whether the difference between two runs is real, and where it is (contract section 3, Results).
 */
export function createComparisons({
  runRecords,
  ask,
  compare,
}: Pick<Dependencies, 'runRecords' | 'ask' | 'compare'>) {
  const onceOf = createRememberedAnswers({ runRecords });

  async function comparisonOf(
    identity: Identity,
    { baselineRunId, candidateRunId, metricIds, calibrateWith, ...request }: ComparisonBody,
  ): Promise<Comparison> {
    const sides = await findSides({ runRecords, ask }, identity, {
      baselineRunId,
      candidateRunId,
      place: '/',
    });
    const metrics = comparedMetrics(sides, metricIds);
    const plan = planCalibration(sides, metrics, calibrateWith);
    const wanted = { ...request, groupBy: request.groupBy, sides, metrics, plan };
    const { comparison, gathered } = await compareSides(
      { runRecords, ask, compare },
      identity,
      wanted,
    );
    if (!limitsDiffer(gathered)) return comparison;
    const without = await compareSides({ runRecords, ask, compare }, identity, {
      ...wanted,
      errors: 'withoutLimits',
    });
    return holdingWithoutLimits(comparison, { gathered, without: without.comparison });
  }

  return {
    compare: (identity: Identity, body: ComparisonBody, key: IdempotencyKey | undefined) =>
      onceOf(identity, key, () => comparisonOf(identity, body)),
    ...createPairList({ runRecords, ask }),
  };
}
