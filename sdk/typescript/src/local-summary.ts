import {
  defaultThreshold,
  isNumeric,
  passes,
  type StatedScale,
  scoreValue,
  statedScale,
  thresholdOf,
  worstOf,
} from '@assay/contracts/scale';
import { wilsonInterval } from '@assay/statistics/proportions';
import type { MetricResult, ScoreValue } from './evaluation.ts';

export interface LocalScore {
  name: string;
  /** The testcase's number. */
  testcase: number;
  /** Undefined where it could not be made; of an own scorer, null may also be that. */
  value: ScoreValue | undefined;
  isOwn: boolean;
  /** The system failed: the record counts as the worst value. */
  isErrored?: boolean;
}

/** The figures of each metric: a testcase's value is the mean of its records. */
export function summarize({
  scores,
  metrics,
  trials,
  problems,
}: {
  scores: LocalScore[];
  metrics: Map<string, StatedScale>;
  trials: number;
  /** How often own scorers failed. */
  problems: Map<string, number>;
}): MetricResult[] {
  return [...metrics].map(([name, metric]) => {
    const own = scores.filter((score) => score.name === name);
    const given = own.filter(({ value }) => value !== null && value !== undefined);
    const isFitting = ({ value }: LocalScore) => scoreValue(metric, value) !== undefined;
    const errored = own.filter(({ isErrored }) => isErrored).length;
    const worst = worstOf(metric);
    const byTestcase = groupsOf(
      own.filter((score) => (score.isErrored ? worst !== undefined : isFitting(score))),
    );
    const numbers = byTestcase.map((group) =>
      group.map(({ value, isErrored }) => (isErrored ? worst! : Number(scoreValue(metric, value)))),
    );
    const isSimple = !isNumeric(metric.outputType) && trials === 1;
    const mean = meanOf(numbers.map((group) => meanOf(group)!));
    return {
      name,
      outputType: metric.outputType,
      ...statedScale(metric),
      count: byTestcase.length,
      failed: own[0]?.isOwn
        ? (problems.get(name) ?? 0)
        : own.filter(({ value }) => value === undefined).length - errored,
      errored,
      invalid: given.filter((score) => !isFitting(score)).length,
      mean,
      passRate: passRateOf(numbers, metric),
      confidenceInterval:
        isSimple && mean !== null
          ? wilsonInterval({
              successes: Math.round(mean * byTestcase.length),
              trials: byTestcase.length,
            })
          : null,
    };
  });
}

/** By the passing threshold of new metrics; null where the metric has none. */
function passRateOf(numbers: number[][], metric: StatedScale): number | null {
  const rule = { ...metric, passingThreshold: defaultThreshold(metric) };
  if (thresholdOf(rule) === null) return null;
  return meanOf(numbers.map((group) => meanOf(group.map((value) => Number(passes(rule, value))))!));
}

const meanOf = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

function groupsOf(scores: LocalScore[]): LocalScore[][] {
  const groups = new Map<number, LocalScore[]>();
  for (const score of scores)
    groups.set(score.testcase, [...(groups.get(score.testcase) ?? []), score]);
  return [...groups.values()];
}
