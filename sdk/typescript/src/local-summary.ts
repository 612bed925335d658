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

type OutputType = MetricResult['outputType'];

/** The passing thresholds of new metrics: contract section 2. */
const passes: Record<OutputType, (value: number) => boolean> = {
  boolean: (value) => value === 1,
  int: (value) => value >= 4,
  float: (value) => value >= 0.9,
};

const worst: Record<OutputType, number> = { boolean: 0, int: 1, float: 0 };

/** The figures of each metric: a testcase's value is the mean of its records. */
export function summarize({
  scores,
  outputTypes,
  trials,
  problems,
}: {
  scores: LocalScore[];
  outputTypes: Map<string, OutputType>;
  trials: number;
  /** How often own scorers failed. */
  problems: Map<string, number>;
}): MetricResult[] {
  return [...outputTypes].map(([name, outputType]) => {
    const own = scores.filter((score) => score.name === name);
    const valued = own.filter(
      ({ value, isErrored }) => isErrored || (value !== null && value !== undefined),
    );
    const errored = own.filter(({ isErrored }) => isErrored).length;
    const byTestcase = groupsOf(valued);
    const numbers = byTestcase.map((group) =>
      group.map(({ value, isErrored }) => (isErrored ? worst[outputType] : Number(value))),
    );
    const passRate = meanOf(
      numbers.map((group) => meanOf(group.map((value) => Number(passes[outputType](value))))!),
    );
    const isSimple = outputType === 'boolean' && trials === 1;
    return {
      name,
      outputType,
      count: byTestcase.length,
      failed: own[0]?.isOwn
        ? (problems.get(name) ?? 0)
        : own.filter(({ value }) => value === undefined).length - errored,
      errored,
      mean: meanOf(numbers.map((group) => meanOf(group)!)),
      passRate,
      confidenceInterval:
        isSimple && passRate !== null
          ? wilsonInterval({
              successes: Math.round(passRate * byTestcase.length),
              trials: byTestcase.length,
            })
          : null,
    };
  });
}

const meanOf = (values: number[]): number | null =>
  values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;

function groupsOf(scores: LocalScore[]): LocalScore[][] {
  const groups = new Map<number, LocalScore[]>();
  for (const score of scores)
    groups.set(score.testcase, [...(groups.get(score.testcase) ?? []), score]);
  return [...groups.values()];
}
