import { z } from 'zod';
import { description, id, name, text } from '../fields.ts';
import { payload, repliedPayload } from '../payload.ts';
import { intValuesMax, type OutputType, valueSizeMax } from '../scale.ts';
import { evaluatorName } from './evaluator.ts';
import { exampleChange, exampleCreation, exampleMetric } from './examples.ts';
import { listedVersionOf } from './listed-version.ts';

export const evalType = z
  .enum(['ai', 'human', 'heuristic'])
  .meta({ description: 'Who scores: a model, members, or an evaluator, code or clients.' });
export const outputType = z.enum(['int', 'float', 'boolean']).meta({
  description:
    "What a score is: a whole number or a number on the metric's scale, which is 1 to 5 and 0 to 1 unless it says otherwise; or a pass or fail.",
});
export type EvalType = z.infer<typeof evalType>;

/** The subject of one answer of a judge: a record, or the records of a testcase in two runs. */
const subject = z.enum(['record', 'pair']).meta({
  description:
    '`pair`: the judge is shown what two runs gave for a testcase, `first.outputs` and `second.outputs`, and says which is better. Such a metric scores no records; pairwise comparisons ask it. `record` when left out.',
});

export type { OutputType } from '../scale.ts';

/**
 * Why a model's name cannot be one; undefined when it can. It becomes a part of a provider's URL.
 */
export function modelNameFault(model: string): string | undefined {
  if (!/^[A-Za-z0-9._:@/-]+$/.test(model)) return 'must be made of letters, digits and . _ : @ / -';
  const segments = model.split('/');
  if (segments.some((segment) => /^\.{0,2}$/.test(segment)))
    return 'must not have an empty segment, `.` or `..` between its slashes';
  if (
    segments[0] === 'google' &&
    segments.length > 2 &&
    !/^google\/(models|tunedModels)\/[^/]+$/.test(model)
  )
    return 'must be google/<model>, google/models/<model> or google/tunedModels/<model>';
  return undefined;
}

/** The name of a model that can judge. */
export const modelName = text(256, 1).superRefine((model, context) => {
  const message = modelNameFault(model);
  if (message) context.addIssue({ code: 'custom', message });
});

const guidelines = text(20_000).meta({
  description: 'What judges and people score by; a judge is sent it, and its template may name it.',
});
const shared = {
  name: name().meta({ description: 'As results and comparisons show it.' }),
  description: description().nullable().meta({ description: 'What it is for, in words.' }),
  guidelines,
};

const scoredBy = {
  ai: 'A model judges.',
  human: 'Members score, in the review queue or in a record.',
  heuristic: 'A built-in evaluator or code scores; without both, clients send the scores.',
};
const evalTypeOf = <Type extends EvalType>(type: Type) =>
  z.literal(type).meta({ description: scoredBy[type] });

const int = z
  .literal('int')
  .meta({ description: 'A score is a whole number, from 1 to 5 unless `min` and `max` differ.' });
const float = z
  .literal('float')
  .meta({ description: 'A score is a number, from 0 to 1 unless `min` and `max` differ.' });
const boolean = z.literal('boolean').meta({ description: 'A score is a pass or a fail.' });
const passing = {
  description: 'A score from it on passes; up to it, where `lowerIsBetter`. It lies on the scale.',
};
const direction = {
  lowerIsBetter: z.boolean().optional().meta({
    description:
      'Less is better: `true` is then the bad value of a boolean, and the greatest value the worst of a number. `false` when left out.',
  }),
};
const least = {
  int: 'The least value; 1 when left out.',
  float: 'The least value; `null`: there is none. 0 when left out.',
};
const greatest = {
  int: `The greatest value; 5 when left out. From \`min\` on there are at most ${intValuesMax} values.`,
  float: 'The greatest value; `null`: there is none, as of perplexity. 1 when left out.',
};
const intEnd = z.int().min(-valueSizeMax).max(valueSizeMax).optional();
const floatEnd = z.number().min(-valueSizeMax).max(valueSizeMax).nullish();
const scales = {
  int: {
    outputType: int,
    min: intEnd.meta({ description: least.int }),
    max: intEnd.meta({ description: greatest.int }),
    ...direction,
    passingThreshold: z.int().meta(passing),
  },
  float: {
    outputType: float,
    min: floatEnd.meta({ description: least.float }),
    max: floatEnd.meta({ description: greatest.float }),
    ...direction,
    passingThreshold: z
      .number()
      .optional()
      .meta({
        description: `${passing.description} Left out where an end is missing that a default could be taken from.`,
      }),
  },
  boolean: { outputType: boolean, ...direction },
};
/** The same in a body, where the threshold of an int metric may be left out, too. */
const sentScales = {
  ...scales,
  int: { ...scales.int, passingThreshold: scales.int.passingThreshold.optional() },
};
const judgeModel = {
  description:
    'The model that judges: one of OpenAI by its name alone, another with its provider before it, such as `anthropic/claude-sonnet-4-5`.',
};
const judged = {
  promptTemplate: text(50_000, 1).meta({
    description: 'A Jinja template, for example `{{ outputs.response }}`.',
  }),
  evalModelName: text(256, 1).meta(judgeModel),
  temperature: z
    .number()
    .min(0)
    .max(2)
    .nullable()
    .meta({ description: "null: the provider's own default." }),
  votes: z
    .int()
    .min(1)
    .max(9)
    .refine((votes) => votes % 2 === 1, 'must be odd')
    .meta({
      description:
        'How often the judge is asked for one score: the majority, median or mean counts. Odd, 1 when left out.',
    }),
  seed: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .meta({ description: 'Sent to models that take one; each vote adds its number to it.' }),
};
const reviewed = {
  annotators: z
    .int()
    .min(1)
    .max(20)
    .meta({ description: 'How many members score each record; 1 when left out.' }),
};

/** Characters of a code metric's source. */
export const codeCharactersMax = 65_536;

const code = z
  .object({
    language: z
      .enum(['typescript', 'javascript', 'python'])
      .meta({ description: 'What the source is written in.' }),
    source: text(codeCharactersMax, 1).meta({ description: 'A module that defines the function.' }),
  })
  .meta({
    id: 'Code',
    description:
      'Defines `evaluate({ inputs, expected, outputs })`: the value, or `{ value, reasoning }`, where `score`, `binaryScore`, `intScore` and `floatScore` are other names of `value`. `{ value: null, reasoning }` says that the metric does not apply to the record. `score(inputs, outputs, expected)` is taken too.',
  });
export type Code = z.infer<typeof code>;

const evaluated = {
  builtin: z
    .object({
      name: evaluatorName,
      options: payload(
        'What the evaluator is told: `GET /evaluators` has the JSON Schema.',
      ).optional(),
    })
    .optional()
    .meta({
      description:
        'The evaluator that scores. Without it and without `code`, the scores come from clients.',
    }),
  code: code.optional(),
};

/** The parts that boolean metrics of each evaluation type add. */
const booleanParts = { ai: { subject: subject.optional() }, human: {}, heuristic: {} };
/** In a body, the other output types take the subject that they have. */
const scaleParts = {
  ai: {
    subject: subject
      .extract(['record'])
      .optional()
      .meta({ description: '`record`, also when left out.' }),
  },
  human: {},
  heuristic: {},
};

/** The parts that each evaluation type adds. */
const parts = {
  ai: { ...judged, votes: judged.votes.optional(), seed: judged.seed.nullish() },
  human: { annotators: reviewed.annotators.optional() },
  heuristic: evaluated,
};

/**
 * A problem of a metric that can be created all the same: its model's provider is not configured,
 * or its price is unknown.
 */
export const metricWarning = z
  .object({
    code: z
      .enum(['no_provider', 'unknown_price', 'reads_nothing', 'unknown_field'])
      .meta({ description: 'Which problem it is.' }),
    path: z.string().meta({ description: 'The field, as a JSON Pointer.' }),
    message: z.string().meta({ description: 'A sentence for a person.' }),
    line: z.int().min(1).optional().meta({ description: 'Counted from 1; in a template.' }),
    column: z.int().min(1).optional().meta({ description: 'Counted from 1; in a template.' }),
  })
  .meta({ id: 'MetricWarning' });
export type MetricWarning = z.infer<typeof metricWarning>;
const warned = {
  warnings: z
    .array(metricWarning)
    .optional()
    .meta({ description: 'Told at creation and at change.' }),
};

const titled = (word: string): string => word[0]!.toUpperCase() + word.slice(1);

const examplesOf = { '': exampleMetric, Create: exampleCreation, Update: exampleChange };

/** The name of one shape in the API document, `AiIntMetric` or `CreateHumanFloatMetric`, and its example. */
const metaOf = (verb: '' | 'Create' | 'Update', type: EvalType, output: OutputType) => ({
  id: `${verb}${titled(type)}${titled(output)}Metric`,
  examples: [examplesOf[verb](type, output)],
});

/** The name of a metric version's shape: `AiIntMetricConfig`. */
const configIdOf = (type: EvalType, output: OutputType) => ({
  id: `${titled(type)}${titled(output)}MetricConfig`,
});

function shapesOf<Type extends EvalType>(type: Type) {
  const own = { ...shared, id: id(), evalType: evalTypeOf(type), ...parts[type], ...warned };
  return z.discriminatedUnion('outputType', [
    z.object({ ...own, ...scales.int }).meta(metaOf('', type, 'int')),
    z.object({ ...own, ...scales.float }).meta(metaOf('', type, 'float')),
    z
      .object({ ...own, ...scales.boolean, ...booleanParts[type] })
      .meta(metaOf('', type, 'boolean')),
  ]);
}

export const metric = z
  .discriminatedUnion('evalType', [shapesOf('ai'), shapesOf('human'), shapesOf('heuristic')])
  .meta({
    id: 'Metric',
    description:
      'What is measured, in one of nine shapes: who scores (`evalType`) by what comes out (`outputType`).',
    examples: [exampleMetric('heuristic', 'boolean')],
  });

function configOf<Type extends EvalType>(type: Type) {
  const own = { evalType: evalTypeOf(type), guidelines: shared.guidelines, ...parts[type] };
  return z.discriminatedUnion('outputType', [
    z.object({ ...own, ...scales.int }).meta(configIdOf(type, 'int')),
    z.object({ ...own, ...scales.float }).meta(configIdOf(type, 'float')),
    z
      .object({ ...own, ...scales.boolean, ...booleanParts[type] })
      .meta(configIdOf(type, 'boolean')),
  ]);
}

/** Everything that a score depends on, in one of nine shapes. */
export const metricConfig = z.discriminatedUnion('evalType', [
  configOf('ai'),
  configOf('human'),
  configOf('heuristic'),
]);

export const listedVersion = listedVersionOf(metricConfig);

// The fields that a client may leave out when it creates a metric: they have defaults.
const creatable = {
  description: shared.description.optional(),
  guidelines: guidelines.default(''),
};
/** The same in a creation, where the judge may be left out. */
const creationParts = {
  ...parts,
  ai: {
    ...parts.ai,
    evalModelName: modelName.meta(judgeModel).optional(),
    temperature: judged.temperature.default(0),
  },
};
function creationOf<Type extends EvalType>(type: Type) {
  const own = {
    name: shared.name,
    ...creatable,
    evalType: evalTypeOf(type),
    ...creationParts[type],
  };
  return z.discriminatedUnion('outputType', [
    z
      .object({
        ...own,
        ...scaleParts[type],
        ...sentScales.int,
      })
      .meta(metaOf('Create', type, 'int')),
    z
      .object({
        ...own,
        ...scaleParts[type],
        ...sentScales.float,
      })
      .meta(metaOf('Create', type, 'float')),
    z
      .object({
        ...own,
        ...booleanParts[type],
        ...sentScales.boolean,
      })
      .meta(metaOf('Create', type, 'boolean')),
  ]);
}

const changeParts = { ...parts, ai: { ...parts.ai, evalModelName: modelName.meta(judgeModel) } };
function changeOf<Type extends EvalType>(type: Type) {
  const own = {
    ...z.object({ ...shared, ...changeParts[type] }).partial().shape,
    evalType: evalTypeOf(type),
  };
  return z.discriminatedUnion('outputType', [
    z
      .object({
        ...own,
        ...scaleParts[type],
        ...sentScales.int,
      })
      .meta(metaOf('Update', type, 'int')),
    z
      .object({
        ...own,
        ...scaleParts[type],
        ...sentScales.float,
      })
      .meta(metaOf('Update', type, 'float')),
    z
      .object({ ...own, ...booleanParts[type], ...sentScales.boolean })
      .meta(metaOf('Update', type, 'boolean')),
  ]);
}

export const metricCreation = z.discriminatedUnion('evalType', [
  creationOf('ai'),
  creationOf('human'),
  creationOf('heuristic'),
]);
export const metricChange = z.discriminatedUnion('evalType', [
  changeOf('ai'),
  changeOf('human'),
  changeOf('heuristic'),
]);

export type Metric = z.infer<typeof metric>;
export type MetricConfig = z.infer<typeof metricConfig>;

/** The scale and the direction of a metric's version as it is answered, wherever a metric is shown. */
export const statedMembers = {
  min: z.number().nullish().meta({
    description: "The least value; `null`: there is none. Left out on the output type's own scale.",
  }),
  max: z.number().nullish().meta({
    description:
      "The greatest value; `null`: there is none. Left out on the output type's own scale.",
  }),
  lowerIsBetter: z
    .literal(true)
    .optional()
    .meta({ description: 'Less of it is better. Left out where more is.' }),
};

/** A metric version as runs see it: the meaning of its scores, and who makes them. */
export const metricVersionOutline = z.object({
  metricVersionId: z.string(),
  metricId: z.string(),
  name: z.string(),
  evalType,
  outputType,
  passingThreshold: z.number().nullable(),
  ...statedMembers,
  /** Does the service itself make the scores, rather than people or clients? */
  isScoredByService: z.boolean(),
  /** The model of an ai metric. */
  evalModelName: z.string().nullable(),
  /** Members that score each record; 1 for all but human metrics. */
  annotators: z.int(),
  /** Left out where it is `record`. */
  subject: subject.optional(),
});
export type MetricVersionOutline = z.infer<typeof metricVersionOutline>;

/** A whole metric version: everything that a score depends on. */
export const metricVersion = metricVersionOutline.extend({
  guidelines: z.string(),
  judge: z
    .object({
      promptTemplate: z.string(),
      evalModelName: z.string(),
      temperature: z.number().nullable(),
      votes: z.int(),
      seed: z.int().nullable(),
    })
    .nullable(),
  builtin: z.object({ name: z.string(), options: repliedPayload() }).nullable(),
  code: code.nullable(),
});
export type MetricVersion = z.infer<typeof metricVersion>;
