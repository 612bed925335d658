import { describePairs, type MetricPairs } from '../src/domain/comparison/pairs.ts';

/** Compares pairs of floats at the level of 0.95, unless something else is said. */
export const compare = ({
  baseline,
  candidate,
  groups,
  ...change
}: { baseline: number[]; candidate: number[]; groups?: number[] } & Partial<
  Pick<MetricPairs, 'outputType' | 'level' | 'min' | 'max' | 'lowerIsBetter'>
>) =>
  describePairs({
    outputType: 'float',
    level: 0.95,
    ...change,
    baseline: Float64Array.from(baseline),
    candidate: Float64Array.from(candidate),
    ...(groups ? { groups: Int32Array.from(groups) } : {}),
  });

export const times = (count: number, value: number): number[] =>
  new Array<number>(count).fill(value);
