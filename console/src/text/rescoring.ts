import { countOf, formatDollars } from './format.ts';

interface MetricEstimate {
  evalType: string;
  queued: number;
  costUsd: number | null;
}

/** How many scores of a metric are made anew, at which cost. */
export const estimateText = ({ evalType, queued, costUsd }: MetricEstimate): string =>
  `${countOf(queued, 'score')}, ${costText(evalType, costUsd)}`;

function costText(evalType: string, costUsd: number | null): string {
  if (evalType !== 'ai') return 'without a judge';
  return costUsd === null ? 'at a price that is not known' : `about ${formatDollars(costUsd)}`;
}

/** The cost of the judges of these metrics together, beside the budget of the run. */
export function costSentences(metrics: MetricEstimate[], budgetLeftUsd: number | null): string[] {
  const judged = metrics.filter(({ evalType, queued }) => evalType === 'ai' && queued > 0);
  if (judged.length === 0) return ['No judge is asked: it costs nothing.'];
  const scores = countOf(sumOf(judged.map(({ queued }) => queued)), 'score');
  const isKnown = judged.every(({ costUsd }) => costUsd !== null);
  const costUsd = sumOf(judged.map((metric) => metric.costUsd ?? 0));
  const cost = isKnown
    ? `Judges are paid for ${scores}: about ${formatDollars(costUsd)}, and less where the cache has answers.`
    : `Judges are paid for ${scores}, at a price that is not known.`;
  if (budgetLeftUsd === null) return [cost, 'The run has no budget.'];
  const left = `${formatDollars(budgetLeftUsd)} of the run's budget are left`;
  const isEnough = isKnown && costUsd <= budgetLeftUsd;
  return [cost, isEnough ? `${left}.` : `${left}: scoring pauses where that is spent.`];
}

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);
