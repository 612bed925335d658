import type { ItemOf } from '../api/operations.ts';

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

/** The least value that passes; undefined where the value itself says it. */
export const thresholdOf = (metric: object): number | undefined =>
  'passingThreshold' in metric && typeof metric.passingThreshold === 'number'
    ? metric.passingThreshold
    : undefined;
