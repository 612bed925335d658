import type { MetricBody, ScoreValue } from './entity.ts';
import type { ScoreFacts } from './item.ts';

/** The range of the scores of one name. */
export interface ScoreSummary {
  count: number;
  min: number;
  max: number;
  isWhole: boolean;
  rules: Set<ScoreFacts['rule']>;
  isByPeople: boolean;
  lowerIsBetter: boolean;
}

export const emptySummary = (): ScoreSummary => ({
  count: 0,
  min: Number.POSITIVE_INFINITY,
  max: Number.NEGATIVE_INFINITY,
  isWhole: true,
  rules: new Set(),
  isByPeople: true,
  lowerIsBetter: false,
});

export function addScore(summary: ScoreSummary, facts: ScoreFacts): void {
  const { value, rule, isByPeople, lowerIsBetter } = facts;
  summary.rules.add(rule);
  if (lowerIsBetter) summary.lowerIsBetter = true;
  if (!isByPeople) summary.isByPeople = false;
  if (value === null) return;
  const number = Number(value);
  summary.count += 1;
  summary.min = Math.min(summary.min, number);
  summary.max = Math.max(summary.max, number);
  if (!Number.isInteger(number)) summary.isWhole = false;
}

type OutputType = MetricBody['outputType'];

/** The output type that all scores of a name fit; undefined when there is none. */
export function outputTypeOf({
  count,
  min,
  max,
  isWhole,
  rules,
}: ScoreSummary): OutputType | undefined {
  if (count === 0) return 'boolean';
  const isShare = min >= 0 && max <= 1;
  if (isShare && isWhole && rules.size === 1 && rules.has('share')) return 'boolean';
  if (isShare) return 'float';
  return rules.has('scale') && isWhole && min >= 1 && max <= 5 ? 'int' : undefined;
}

/** The metric of scores that another tool made. */
export const metricOf = (
  name: string,
  outputType: OutputType,
  { isByPeople, lowerIsBetter }: ScoreSummary,
  title: string,
): MetricBody => ({
  name,
  description: `Imported: ${title}.`,
  evalType: isByPeople ? 'human' : 'heuristic',
  outputType,
  ...(lowerIsBetter ? { lowerIsBetter } : {}),
  guidelines: '',
});

export function scoreOf({ value, reasoning }: ScoreFacts, outputType: OutputType): ScoreValue {
  const said = reasoning === undefined ? {} : { reasoning };
  if (value === null) return { value, reasoning: reasoning ?? 'Does not apply.' };
  if (outputType === 'boolean') return { binaryScore: Number(value) === 1, ...said };
  return outputType === 'int'
    ? { intScore: Number(value), ...said }
    : { floatScore: Number(value), ...said };
}
