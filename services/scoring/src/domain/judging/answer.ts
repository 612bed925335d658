import type { OutputType } from '@assay/contracts/metrics';
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

export interface AnswerForm {
  /** The field of the value. */
  field: string;
  /** The meaning of the value, in words for the judge. */
  meaning: string;
  schema: object;
}

// The reasoning comes first: a judge that writes it before the value judges by it.
function formOf(outputType: OutputType): AnswerForm {
  const [field, schema] = [valueFields[outputType], schemas[outputType]];
  return {
    field,
    meaning: schema.description,
    schema: {
      type: 'object',
      properties: {
        reasoning: { type: 'string', description: 'Why, in a few sentences.' },
        [field]: schema,
      },
      required: ['reasoning', field],
      additionalProperties: false,
    },
  };
}

export const answerForms: Record<OutputType, AnswerForm> = {
  boolean: formOf('boolean'),
  int: formOf('int'),
  float: formOf('float'),
};
