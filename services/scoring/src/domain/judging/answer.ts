import type { MetricVersion, OutputType } from '@assay/contracts/metrics';
import { valueFields } from '@assay/evaluators/value';

/** The schema of the value of each output type, with the meaning of the value. */
const schemas = {
  boolean: {
    type: 'boolean',
    description: 'true: what is judged meets the criteria. false: it does not.',
  },
  int: {
    type: 'integer',
    enum: [1, 2, 3, 4, 5],
    description: 'From 1, the criteria are not met at all, to 5, they are met fully.',
  },
  float: {
    type: 'number',
    minimum: 0,
    maximum: 1,
    description: 'From 0, the criteria are not met at all, to 1, they are met fully.',
  },
} as const;

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

function formOf(outputType: OutputType): AnswerForm {
  const [field, schema] = [valueFields[outputType], schemas[outputType]];
  return {
    task: 'You are shown what an AI system was given and what it answered, and judge it by the criteria of the prompt.',
    field,
    outputType,
    toValue: (answer) => answer as Value,
    meaning: schema.description,
    schema: schemaOf(field, schema),
  };
}

const answerForms: Record<OutputType, AnswerForm> = {
  boolean: formOf('boolean'),
  int: formOf('int'),
  float: formOf('float'),
};

/** The answers of a judge of pairs, in the order of the scale on which they are values. */
const preferences = ['first', 'tie', 'second'] as const;
export type Preference = (typeof preferences)[number];

/** Returns the answer that a value of a judge of pairs stands for. */
export const preferenceOf = (value: Value): Preference => preferences[Number(value)]!;

const preferred = {
  type: 'string',
  enum: ['first', 'second', 'tie'],
  description:
    'first: the first answer is better by the criteria. second: the second is. tie: neither is.',
};

/**
 * The form of an answer about a pair. A tie stands between the two, so the median of several votes
 * is the side that most of them are on, or the tie.
 */
const pairForm: AnswerForm = {
  task: 'You are shown what two AI systems answered to the same inputs, and judge by the criteria of the prompt which of the two answers is better. Their order means nothing.',
  field: 'preferred',
  outputType: 'int',
  toValue: (answer) => preferences.indexOf(answer as Preference),
  meaning: preferred.description,
  schema: schemaOf('preferred', preferred),
};

export const answerFormOf = ({
  outputType,
  subject,
}: Pick<MetricVersion, 'outputType' | 'subject'>): AnswerForm =>
  subject === 'pair' ? pairForm : answerForms[outputType];
