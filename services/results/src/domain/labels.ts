import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RatedRecord } from '@assay/contracts/run-records';
import { aggregate } from '@assay/evaluators/aggregate';
import { finalValue, type Rating } from '@assay/evaluators/ratings';

export type Value = boolean | number;

/** The values of a judge and of people for one record. */
export interface Label {
  judge: Value;
  human: Value;
}

/** Whose scores are compared: a judge's version in the run, and people's scores of it or of a metric of theirs. */
export interface Raters {
  judge: MetricVersionOutline;
  /** All that the run has of the judge's metric, newest first. */
  judgeVersionIds: string[];
  human: MetricVersionOutline | undefined;
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

/** The votes of each judgement of a metric version; judgements without votes are left out. */
const judgementsOf = ({ judged = [] }: RatedRecord, metricVersionId: string): Value[][] =>
  (judged.find((history) => history.metricVersionId === metricVersionId)?.votes ?? []).filter(
    (votes) => votes.length > 0,
  );

/** The same without the judgements for which the cache gave votes: those were not asked about. */
export function askedJudgementsOf(
  { judged = [] }: RatedRecord,
  metricVersionId: string,
): Value[][] {
  const history = judged.find((history) => history.metricVersionId === metricVersionId);
  return (history?.votes ?? []).filter(
    (votes, index) => votes.length > 0 && !history?.cached?.[index],
  );
}

/**
 * Judgements stay when a person overrides the score. A score from before judgements were kept
 * speaks for itself.
 */
function judgeValue(
  judgements: Value[][],
  ratings: Map<string, Rating[]>,
  { metricVersionId, outputType }: MetricVersionOutline,
): Value | undefined {
  const newest = judgements.at(-1);
  return newest
    ? aggregate(outputType, newest)
    : ratings.get(metricVersionId)?.find(({ source }) => source === 'ai')?.value;
}

function humanValue(
  { awaited }: RatedRecord,
  ratings: Map<string, Rating[]>,
  { judge: { outputType }, judgeVersionIds, human }: Raters,
): Value | undefined {
  for (const metricVersionId of human ? [human.metricVersionId] : judgeVersionIds) {
    const given = (ratings.get(metricVersionId) ?? []).filter(({ source }) => source === 'human');
    const value = finalValue(given, { metricVersionId, outputType, awaited });
    if (value !== undefined) return value;
  }
  return undefined;
}
