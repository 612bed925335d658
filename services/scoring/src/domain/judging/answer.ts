import type { MetricVersion, OutputType } from '@assay/contracts/metrics';
import {
  type StatedScale,
  scaleOf,
  statedScale,
  valueInWords,
  valueSizeMax,
} from '@assay/contracts/scale';
import { valueFields } from '@assay/evaluators/value';
import { LRUCache } from 'lru-cache';

/** The schema of a metric's value, with the meaning of the value in the words of its scale. */
function valueSchemaOf(metric: StatedScale): { description: string; [member: string]: unknown } {
  const { low, high } = scaleOf(metric);
  switch (metric.outputType) {
    case 'boolean':
      return { type: 'boolean', description: meaningOfBoolean(metric) };
    case 'int':
      return {
        type: 'integer',
        ...(high - low < listedValuesMax
          ? { enum: Array.from({ length: high - low + 1 }, (_, step) => low + step) }
          : { minimum: low, maximum: high }),
        description: meaningOfNumber(metric),
      };
    case 'float':
      return {
        type: 'number',
        minimum: Math.max(low, -valueSizeMax),
        maximum: Math.min(high, valueSizeMax),
        description: meaningOfNumber(metric),
      };
  }
}

/** Up to so many whole numbers are listed one by one. */
const listedValuesMax = 21;

const meaningOfBoolean = ({ lowerIsBetter }: StatedScale): string =>
  lowerIsBetter
    ? 'true: what the criteria describe is there, which is bad. false: it is not.'
    : 'true: what is judged meets the criteria. false: it does not.';

function meaningOfNumber(metric: StatedScale): string {
  const { low, high } = scaleOf(metric);
  const { lowerIsBetter } = metric;
  if (Number.isFinite(low) && Number.isFinite(high))
    return lowerIsBetter
      ? `From ${low}, nothing of what the criteria describe is there, to ${high}, as much of it as can be: less is better.`
      : `From ${low}, the criteria are not met at all, to ${high}, they are met fully.`;
  return `It is ${valueInWords(metric)}: ${lowerIsBetter ? 'the less, the better' : 'the more, the better the criteria are met'}.`;
}

type Value = boolean | number;

export interface AnswerForm {
  /** The judge's task, in words. */
  task: string;
  /** The field of the value. */
  field: string;
  /** The output type by whose rule several votes become one value. */
  outputType: OutputType;
  /** Returns the value that the field's content stands for. */
  toValue: (answer: unknown) => Value;
  /** The meaning of the value, in words for the judge. */
  meaning: string;
  schema: object;
}

// The reasoning comes first: a judge that writes it before the value judges by it.
const schemaOf = (field: string, schema: object): object => ({
  type: 'object',
  properties: {
    reasoning: { type: 'string', description: 'Why, in a few sentences.' },
    [field]: schema,
  },
  required: ['reasoning', field],
  additionalProperties: false,
});

function recordForm(metric: StatedScale): AnswerForm {
  const { outputType } = metric;
  const [field, schema] = [valueFields[outputType], valueSchemaOf(metric)];
  return {
    task: 'You are shown what an AI system was given and what it answered, and judge it by the criteria of the prompt.',
    field,
    outputType,
    toValue: (answer) => answer as Value,
    meaning: schema.description,
    schema: schemaOf(field, schema),
  };
}

/** The answers of a judge of pairs, in the order of the scale on which they are values. */
const preferences = ['first', 'tie', 'second'] as const;
export type Preference = (typeof preferences)[number];

/** Returns the answer that a value of a judge of pairs stands for. */
export const preferenceOf = (value: Value): Preference => preferences[Number(value)]!;

/** Returns the value that stands for an answer. */
export const preferenceValue = (preference: Preference): number => preferences.indexOf(preference);

const preferred = ({ lowerIsBetter }: StatedScale) => ({
  type: 'string',
  enum: ['first', 'second', 'tie'],
  description: lowerIsBetter
    ? 'first: the first answer has less of what the criteria describe, which is better. second: the second has. tie: neither.'
    : 'first: the first answer is better by the criteria. second: the second is. tie: neither is.',
});

/**
 * The form of an answer about a pair. A tie stands between the two, so the median of several votes
 * is the side that most of them are on, or the tie.
 */
function pairForm(metric: StatedScale): AnswerForm {
  const schema = preferred(metric);
  return {
    task: 'You are shown what two AI systems answered to the same inputs, and judge by the criteria of the prompt which of the two answers is better. Their order means nothing.',
    field: 'preferred',
    outputType: 'int',
    toValue: (answer) => preferences.indexOf(answer as Preference),
    meaning: schema.description,
    schema: schemaOf('preferred', schema),
  };
}

type JudgedMetric = Pick<MetricVersion, 'outputType' | 'subject' | 'min' | 'max' | 'lowerIsBetter'>;

/** One form for all metrics of a scale: the check of its answers is compiled once. */
const forms = new LRUCache<string, AnswerForm>({ max: 1000 });

/** The form of a judge's answer, in the words of its metric's version. */
export function answerFormOf(metric: JudgedMetric): AnswerForm {
  const { outputType, subject } = metric;
  const key = JSON.stringify([outputType, subject, statedScale(metric)]);
  const known = forms.get(key);
  if (known) return known;
  const form = subject === 'pair' ? pairForm(metric) : recordForm(metric);
  forms.set(key, form);
  return form;
}
