import { decidingFigures, type MetricComparison } from './comparison.ts';
import { whole } from './figures.ts';

/**
 * The result of a comparison for one metric, whole, in the words of the console: "Worse: the
 * candidate is 4.3 points lower (95 % interval 7.1 to 1.5 lower; adjusted p 0.0027; 1,319 pairs)."
 */
export function verdictSentence(metric: MetricComparison, candidate: string): string {
  const { verdict, difference, confidenceInterval, adjustedPValue, decidedBy } =
    decidingFigures(metric);
  const pairs = `${whole(metric.paired)} ${metric.paired === 1 ? 'pair' : 'pairs'}`;
  if (difference === null || confidenceInterval === null)
    return `Undecided: ${pairs} are too few to say anything.`;
  const { low, high, level } = confidenceInterval;
  const size = (value: number) => sizeOf(metric, value);
  const unit = metric.outputType === 'boolean' ? ' points' : '';
  const p = adjustedPValue === null ? '' : `; adjusted p ${probabilityOf(adjustedPValue)}`;
  const people =
    decidedBy === 'people'
      ? `, going by people's scores of ${whole(metric.calibrated!.labels)} testcases`
      : '';
  const about = (interval: string) =>
    `(${Number((100 * level).toPrecision(6))} % interval ${interval}${p}; ${pairs})${people}.`;
  if (verdict === 'undecided')
    return `Undecided: ${candidate} is ${signed(metric, difference)}${unit} ${about(`${signed(metric, low)} to ${signed(metric, high)}`)}`;
  const direction = difference > 0 ? 'higher' : 'lower';
  return `${verdict === 'better' ? 'Better' : 'Worse'}: ${candidate} is ${size(difference)}${unit} ${direction} ${about(`${size(low)} to ${size(high)} ${direction}`)}`;
}

type OutputType = Pick<MetricComparison, 'outputType'>;

const sizeOf = ({ outputType }: OutputType, value: number): string =>
  outputType === 'boolean' ? Math.abs(100 * value).toFixed(1) : Math.abs(value).toFixed(3);

const signed = (metric: OutputType, value: number): string =>
  `${value < 0 ? '−' : '+'}${sizeOf(metric, value)}`;

const probabilityOf = (p: number): string =>
  p < 0.0001 ? p.toExponential(1).replace('-', '−') : p.toPrecision(2);
