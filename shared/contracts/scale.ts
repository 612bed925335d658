/** A score: a pass or a fail, or a number on the metric's scale. */
export type OutputType = 'int' | 'float' | 'boolean';

/**
 * The scale and the direction of a metric as it states them. An end that is left out is that of the
 * output type; `null` says that there is no such end.
 */
export interface StatedScale {
  outputType: OutputType;
  min?: number | null | undefined;
  max?: number | null | undefined;
  lowerIsBetter?: boolean | undefined;
}

/** The least and the greatest value; infinite where the scale has no such end. */
export interface Scale {
  low: number;
  high: number;
}

/** The scales of metrics that state none; booleans count as 0 and 1. */
const usualScales: Record<OutputType, Scale> = {
  boolean: { low: 0, high: 1 },
  int: { low: 1, high: 5 },
  float: { low: 0, high: 1 },
};

/** The size that no value and no end exceeds, so that no square of a difference overflows. */
export const valueSizeMax = 1e15;
/** The most values of an int metric. */
export const intValuesMax = 1001;

/** Whether scores of this output type are numbers, which have a scale and a passing threshold. */
export function isNumeric(outputType: OutputType): boolean {
  switch (outputType) {
    case 'boolean':
      return false;
    case 'int':
    case 'float':
      return true;
  }
}

/** Returns the scale of a metric. */
export function scaleOf({ outputType, min, max }: StatedScale): Scale {
  const usual = usualScales[outputType];
  if (!isNumeric(outputType)) return usual;
  return {
    low: min === undefined ? usual.low : (min ?? -Infinity),
    high: max === undefined ? usual.high : (max ?? Infinity),
  };
}

/** Whether a metric has the scale and the direction of its output type. */
export const isUsual = (metric: StatedScale): boolean =>
  isSameScale(metric, { outputType: metric.outputType });

/** Whether values of two metrics say the same: they have one scale and one direction. */
export const isSameScale = (one: StatedScale, other: StatedScale): boolean =>
  one.outputType === other.outputType && scaleDifferences(one, other).length === 0;

/** The members in which the scales and directions of two metrics differ, by the names of the API. */
export function scaleDifferences(
  one: StatedScale,
  other: StatedScale,
): { member: 'min' | 'max' | 'lowerIsBetter'; values: [unknown, unknown] }[] {
  const [first, second] = [one, other].map(statedWhole) as [WholeScale, WholeScale];
  return (['min', 'max', 'lowerIsBetter'] as const)
    .filter((member) => first[member] !== second[member])
    .map((member) => ({ member, values: [first[member], second[member]] }));
}

/** A scale and a direction with everything that may be left out. */
export interface WholeScale {
  min: number | null;
  max: number | null;
  lowerIsBetter: boolean;
}

/** Returns the scale and the direction of a metric as the API has them, nothing left out. */
export function statedWhole(metric: StatedScale): WholeScale {
  const { low, high } = scaleOf(metric);
  return {
    min: Number.isFinite(low) ? low : null,
    max: Number.isFinite(high) ? high : null,
    lowerIsBetter: metric.lowerIsBetter === true,
  };
}

/**
 * Returns the members that state a scale and a direction, in the one form that they are stored and
 * answered in: both ends where the scale is not that of the output type, and the direction where
 * less is better.
 */
export function statedScale(metric: StatedScale): {
  min?: number | null;
  max?: number | null;
  lowerIsBetter?: true;
} {
  const { min, max, lowerIsBetter } = statedWhole(metric);
  const usual = usualScales[metric.outputType];
  const isScaled = min !== usual.low || max !== usual.high;
  return { ...(isScaled ? { min, max } : {}), ...(lowerIsBetter ? { lowerIsBetter } : {}) };
}

/** The worst value that a metric can say; undefined where its scale has no such end. */
export function worstOf(metric: StatedScale): number | undefined {
  const { low, high } = scaleOf(metric);
  return finite(metric.lowerIsBetter ? high : low);
}

/** The best value that a metric can say; undefined where its scale has no such end. */
export function bestOf(metric: StatedScale): number | undefined {
  const { low, high } = scaleOf(metric);
  return finite(metric.lowerIsBetter ? low : high);
}

const finite = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/** The passing thresholds of metrics that state neither one nor a scale or direction. */
const usualThresholds: Record<OutputType, number | null> = { boolean: null, int: 4, float: 0.9 };

/**
 * The passing threshold of a metric that states none: on a scale or in a direction of its own nine
 * tenths of the way from the bad end to the good one, of an int metric three quarters, rounded to
 * the good side. Null where an end is missing, and for booleans.
 */
export function defaultThreshold(metric: StatedScale): number | null {
  if (isUsual(metric)) return usualThresholds[metric.outputType];
  const [bad, good] = [worstOf(metric), bestOf(metric)];
  if (bad === undefined || good === undefined) return null;
  switch (metric.outputType) {
    case 'boolean':
      return null;
    case 'int':
      return metric.lowerIsBetter
        ? Math.floor((bad + 3 * good) / 4)
        : Math.ceil((bad + 3 * good) / 4);
    case 'float':
      return (bad + 9 * good) / 10;
  }
}

/** A metric as far as its values pass or fail. */
export interface PassingRule extends StatedScale {
  passingThreshold: number | null;
}

/** The value from which on a metric passes, booleans as 0 and 1; null where it has none. */
export const thresholdOf = ({
  outputType,
  passingThreshold,
  lowerIsBetter,
}: PassingRule): number | null =>
  isNumeric(outputType) ? passingThreshold : lowerIsBetter ? 0 : 1;

/** Whether a value passes, at the threshold too; null where the metric has no threshold. */
export function passes(metric: PassingRule, value: boolean | number): boolean | null {
  const threshold = thresholdOf(metric);
  if (threshold === null) return null;
  return metric.lowerIsBetter ? Number(value) <= threshold : Number(value) >= threshold;
}

/** Describes the values of a metric: "a number from 0 to 100". */
export function valueInWords(metric: StatedScale): string {
  const { low, high } = scaleOf(metric);
  switch (metric.outputType) {
    case 'boolean':
      return 'true or false';
    case 'int':
      return `a whole number from ${low} to ${high}`;
    case 'float':
      return `a number${rangeInWords({ low, high })}`;
  }
}

function rangeInWords({ low, high }: Scale): string {
  if (Number.isFinite(low) && Number.isFinite(high)) return ` from ${low} to ${high}`;
  if (Number.isFinite(low)) return ` from ${low} up`;
  return Number.isFinite(high) ? ` up to ${high}` : '';
}

/** How far a float may lie outside of its scale by rounding, as a share of the scale's width. */
const roundingMax = 1e-9;

/**
 * The value that a score says; undefined for anything that does not fit the metric. A float a hair
 * outside of its scale, as the cosine of two equal vectors often is, is the bound (contract section
 * 5, Accounts).
 */
export function scoreValue(metric: StatedScale, value: unknown): boolean | number | undefined {
  if (metric.outputType !== 'float' || typeof value !== 'number')
    return isValueOf(metric, value) ? value : undefined;
  const { low, high } = scaleOf(metric);
  const bound = Math.min(high, Math.max(low, value));
  const slack = roundingMax * (Number.isFinite(high - low) ? high - low : 1);
  // Against the sums, which are rounded as a value that lies just there is: 1.000000001 − 1 is more than 1e-9.
  const isNear = value >= low - slack && value <= high + slack;
  return isNear && isValueOf(metric, bound) ? bound : undefined;
}

/** Is this a value of the metric? */
export function isValueOf(metric: StatedScale, value: unknown): value is boolean | number {
  const { low, high } = scaleOf(metric);
  const isOnScale = (number: unknown): number is number =>
    typeof number === 'number' &&
    number >= low &&
    number <= high &&
    Math.abs(number) <= valueSizeMax;
  switch (metric.outputType) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
      return isOnScale(value) && Number.isInteger(value);
    case 'float':
      return isOnScale(value);
  }
}

/** What is wrong with a scale or a threshold, and where. */
export interface ScaleIssue {
  path: '/min' | '/max' | '/passingThreshold';
  message: string;
}

/** Finds all that is wrong with the scale and the threshold of a metric. */
export function scaleIssues(metric: PassingRule): ScaleIssue[] {
  if (!isNumeric(metric.outputType)) return thresholdIssues(metric);
  const issues = endIssues(metric);
  return issues.length > 0 ? issues : thresholdIssues(metric);
}

function endIssues({ outputType, ...stated }: StatedScale): ScaleIssue[] {
  const { low, high } = scaleOf({ outputType, ...stated });
  // The end that is not the usual one is at fault, where the other one is.
  const usual = usualScales[outputType];
  const path = high === usual.high && low !== usual.low ? '/min' : '/max';
  if (low >= high)
    return [{ path, message: `leaves no scale: it would go from ${low} to ${high}` }];
  const count = high - low + 1;
  if (outputType !== 'int' || count <= intValuesMax) return [];
  return [
    {
      path,
      message: `must be nearer to the other end: an int metric has at most ${intValuesMax} values, and these would be ${count}`,
    },
  ];
}

function thresholdIssues(metric: PassingRule): ScaleIssue[] {
  const { passingThreshold: threshold } = metric;
  if (threshold === null) return [];
  if (!isNumeric(metric.outputType))
    return [{ path: '/passingThreshold', message: 'must be null: a boolean needs none' }];
  if (isValueOf(metric, threshold)) return [];
  return [{ path: '/passingThreshold', message: `must be ${valueInWords(metric)}` }];
}
