import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import type { Comparison, results } from '@assay/contracts/results';
import { planCalibration } from './comparison/calibrated.ts';
import { compareSides, type SidesRequest } from './comparison/compare-sides.ts';
import { planFill } from './comparison/fill.ts';
import { createPairList } from './comparison/pair-list.ts';
import { holdingWithoutLimits, limitsDiffer } from './comparison/provider-limits.ts';
import { withSentences } from './comparison/sentences.ts';
import { comparedMetrics, findSides } from './comparison/sides.ts';
import { gatherSides } from './comparison/values.ts';
import type { Dependencies } from './dependencies.ts';
import { createRememberedAnswers } from './remembered-answers.ts';

type ComparisonBody = Request<(typeof results)['operations']['compareRuns']>['body'];

export type ComparisonDependencies = Pick<Dependencies, 'runRecords' | 'ask' | 'compare'>;

/**
 * Whether the difference between two runs is real, and where it is (contract section 3, Results).
 */
export function createComparisons({ runRecords, ask, compare }: ComparisonDependencies) {
  const onceOf = createRememberedAnswers({ runRecords });

  async function comparisonOf(identity: Identity, body: ComparisonBody): Promise<Comparison> {
    const { baselineRunId, candidateRunId, metricIds, calibrateWith, unknownScores, ...request } =
      body;
    const sides = await findSides({ runRecords, ask }, identity, {
      baselineRunId,
      candidateRunId,
      place: '/',
    });
    const metrics = comparedMetrics(sides, metricIds);
    const plan = planCalibration(sides, metrics, calibrateWith);
    const filling =
      unknownScores === 'against_candidate'
        ? await fillingOf(identity, { sides, metrics, namedIds: metricIds, ...request })
        : undefined;
    const wanted = { ...request, groupBy: request.groupBy, sides, metrics, plan, filling };
    const { comparison, gathered } = await compareSides(
      { runRecords, ask, compare },
      identity,
      wanted,
    );
    if (!limitsDiffer(gathered)) return withSentences(comparison);
    const without = await compareSides({ runRecords, ask, compare }, identity, {
      ...wanted,
      errors: 'withoutLimits',
    });
    return withSentences(
      holdingWithoutLimits(comparison, { gathered, without: without.comparison }),
    );
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
  };
}
