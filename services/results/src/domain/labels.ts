import type { RatedRecord } from '@assay/contracts/run-records';
import type { Rating } from '@assay/evaluators/ratings';
import { humanValue, judgementsOf, judgeValue, type Raters, type Value } from './judged-values.ts';

/** The values of a judge and of people for one record. */
export interface Label {
  judge: Value;
  human: Value;
}

/** The values of both for a record; undefined where either has none. */
export function labelOf(
  record: RatedRecord,
  ratings: Map<string, Rating[]>,
  raters: Raters,
): Label | undefined {
  const human = humanValue(record, ratings, raters);
  if (human === undefined) return undefined;
  const judgements = judgementsOf(record, raters.judge.metricVersionId);
  const judge = judgeValue(judgements, ratings, raters.judge);
  return judge === undefined ? undefined : { judge, human };
}
