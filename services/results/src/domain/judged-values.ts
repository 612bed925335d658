import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RatedRecord, RunOutline } from '@assay/contracts/run-records';
import { isSameScale, isUsual, valueInWords } from '@assay/contracts/scale';
import { aggregate } from '@assay/evaluators/aggregate';
import { finalValue, type Rating } from '@assay/evaluators/ratings';

export type Value = boolean | number;

/**
 * Whose scores stand beside each other: a judge's version, all of its versions in the run, and
 * maybe a metric of people.
 */
export interface Raters {
  judge: MetricVersionOutline;
  /** Newest first. */
  judgeVersionIds: string[];
  human: MetricVersionOutline | undefined;
}

/**
 * A judge's version in a run, whose versions are in the order in which they joined it. Those of
 * another scale or direction are left out: their values say other things.
 */
export const judgeOf = (
  { metrics }: RunOutline,
  judge: MetricVersionOutline,
): Omit<Raters, 'human'> => ({
  judge,
  judgeVersionIds: metrics
    .filter((metric) => metric.metricId === judge.metricId && isSameScale(metric, judge))
    .map(({ metricVersionId }) => metricVersionId)
    .reverse(),
});

/**
 * In words, what scores a judge and people give, where they cannot be set against each other: they
 * have other output types, scales or directions. Undefined where they can.
 */
export function differingScores(
  judge: MetricVersionOutline,
  human: MetricVersionOutline,
): { judge: string; human: string } | undefined {
  if (isSameScale(judge, human)) return undefined;
  const told = (metric: MetricVersionOutline): string =>
    isUsual(metric)
      ? metric.outputType
      : `${metric.outputType} (${valueInWords(metric)}${metric.lowerIsBetter ? ', of which less is better' : ''})`;
  return { judge: told(judge), human: told(human) };
}

/** The votes of each judgement of a metric version; judgements without votes are left out. */
export const judgementsOf = ({ judged = [] }: RatedRecord, metricVersionId: string): Value[][] =>
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
 * The judge's value of a record, the result of its newest judgement. Judgements stay when a person
 * overrides the score. A score from before judgements were kept speaks for itself.
 */
export function judgeValue(
  judgements: Value[][],
  ratings: Map<string, Rating[]>,
  { metricVersionId, outputType }: MetricVersionOutline,
): Value | undefined {
  const newest = judgements.at(-1);
  return newest
    ? aggregate(outputType, newest)
    : ratings.get(metricVersionId)?.find(({ source }) => source === 'ai')?.value;
}

/**
 * The people's value of a record: their score of the judged metric, given to its newest version in
 * the run or else to an older one, so that labels outlive a change of the prompt; or their score of
 * the human metric.
 */
export function humanValue(
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
