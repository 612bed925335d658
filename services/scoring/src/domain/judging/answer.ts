import type { OutputType } from '@assay/contracts/metrics';

/** The judge's field for the value of each output type, as scores carry it (contract section 2, Score). */
const fields = {
  boolean: {
    name: 'binaryScore',
    schema: { type: 'boolean', description: 'true: what is judged meets the criteria. false: it does not.' },
  },
  int: {
    name: 'intScore',
    schema: { type: 'integer', enum: [1, 2, 3, 4, 5], description: 'From 1, the criteria are not met at all, to 5, they are met fully.' },
  },
  float: {
    name: 'floatScore',
    schema: { type: 'number', minimum: 0, maximum: 1, description: 'From 0, the criteria are not met at all, to 1, they are met fully.' },
  },
} as const;

export interface AnswerForm {
  /** The field of the value. */
  field: string;
  /** What the value means. */
  meaning: string;
  schema: object;
}

// The reasoning comes first: a judge that writes it before the value judges by it.
const formOf = ({ name, schema }: (typeof fields)[OutputType]): AnswerForm => ({
  field: name,
  meaning: schema.description,
  schema: {
    type: 'object',
    properties: { reasoning: { type: 'string', description: 'Why, in a few sentences.' }, [name]: schema },
    required: ['reasoning', name],
    additionalProperties: false,
  },
});

/** What a judge answers, for each output type. */
export const answerForms: Record<OutputType, AnswerForm> = {
  boolean: formOf(fields.boolean),
  int: formOf(fields.int),
  float: formOf(fields.float),
};
