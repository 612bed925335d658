import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { isUsual, type StatedScale, scaleOf, valueInWords } from '@assay/contracts/scale';
import { formatDollars } from './format.ts';

export type Metric = ItemOf<'/projects/:projectId/metrics'>;
export type OutputType = Metric['outputType'];

/** Who makes a metric's scores, by the words of people. */
export const scorers = {
  judge: { text: 'AI judge', hint: 'A model is asked by a prompt, and says why.' },
  code: { text: 'Code', hint: 'A function of yours, in a sandbox.' },
  builtin: { text: 'Built-in', hint: 'A rule such as “the texts are equal”. It costs nothing.' },
  people: { text: 'People', hint: 'Members score records in the review.' },
  program: { text: 'Your own program', hint: 'It sends its scores through the API.' },
} as const;

export type Scorer = keyof typeof scorers;

export function scorerOf(metric: object): Scorer {
  const { evalType } = metric as { evalType: Metric['evalType'] };
  if (evalType === 'ai') return 'judge';
  if (evalType === 'human') return 'people';
  if ('builtin' in metric && metric.builtin) return 'builtin';
  return 'code' in metric && metric.code ? 'code' : 'program';
}

/** The kinds of values that metrics give. */
export const outputTypes: Record<OutputType, string> = {
  boolean: 'Pass or fail',
  int: '1 to 5',
  float: '0 to 1',
};

/** Whether a metric judges pairs of runs, and scores no records. */
export const isOfPairs = (metric: object): boolean =>
  'subject' in metric && metric.subject === 'pair';

/** The kind of answer that a metric gives: its scale, and its direction where less is better. */
export const outputOf = (metric: Metric): string =>
  isOfPairs(metric) ? 'Which of two' : scaleText(metric);

/** The scale of a metric in a few words: "0 to 100, less is better". */
export function scaleText(metric: StatedScale): string {
  const { outputType, lowerIsBetter } = metric;
  const { low, high } = scaleOf(metric);
  const isOpen = !Number.isFinite(low) || !Number.isFinite(high);
  const values = isUsual({ ...metric, lowerIsBetter: false })
    ? outputTypes[outputType]
    : isOpen
      ? valueInWords(metric)
      : `${low} to ${high}`;
  return lowerIsBetter ? `${values}, less is better` : values;
}

/** What a judge's model costs for a million tokens; empty where it is not known. */
export function priceOf(judges: ReplyOf<'GET', '/judges'> | undefined, model: string): string {
  const found = judges?.data
    .flatMap(({ models }) => models)
    .find((one) => one.model === model || one.model === model.replace(/^[^/]+\//, ''));
  if (!found || found.inputUsdPerMillion === null || found.outputUsdPerMillion === null) return '';
  return `A million tokens: ${formatDollars(found.inputUsdPerMillion)} in, ${formatDollars(found.outputUsdPerMillion)} out.`;
}

/** The values that pass: "≥ 0.9", or "≤ 0.1" where less is better. */
export function thresholdText(metric: Metric): string {
  if (!('passingThreshold' in metric) || metric.passingThreshold === undefined) return '–';
  return `${metric.lowerIsBetter ? '≤' : '≥'} ${metric.passingThreshold}`;
}
