import { z } from 'zod';
import { list, operation, question, service } from './define.ts';
import { exampleIds, exampleInstant } from './examples.ts';
import { description, id, jsonObject, name, success, text, timestamp } from './fields.ts';
import { evaluator, evaluatorName } from './metrics/evaluator.ts';
import { metricIssue } from './metrics/issue.ts';
import { listedVersionOf } from './metrics/listed-version.ts';

export type { Evaluator } from './metrics/evaluator.ts';

export const evalType = z.enum(['ai', 'human', 'heuristic']);
export const outputType = z.enum(['int', 'float', 'boolean']);
export type EvalType = z.infer<typeof evalType>;
export type OutputType = z.infer<typeof outputType>;

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

const modelName = text(256, 1).superRefine((model, context) => {
  const message = modelNameFault(model);
  if (message) context.addIssue({ code: 'custom', message });
});

const shared = { name: name(), description: description().nullable(), guidelines: text(20_000) };
const thresholds = {
  int: { outputType: z.literal('int'), passingThreshold: z.int().min(1).max(5) },
  float: { outputType: z.literal('float'), passingThreshold: z.number().min(0).max(1) },
  boolean: { outputType: z.literal('boolean') },
};
const judged = {
  promptTemplate: text(50_000, 1).meta({
    description: 'A Jinja template, for example `{{ outputs.response }}`.',
  }),
  evalModelName: text(256, 1),
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
    language: z.enum(['typescript', 'javascript', 'python']),
    source: text(codeCharactersMax, 1),
  })
  .meta({
    id: 'Code',
    description:
      'Defines `evaluate({ inputs, expected, outputs })`: the value, or `{ value, reasoning }`.',
  });
export type Code = z.infer<typeof code>;

const evaluated = {
  builtin: z
    .object({
      name: evaluatorName,
      options: jsonObject(
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
  .object({ code: z.enum(['no_provider', 'unknown_price']), path: z.string(), message: z.string() })
  .meta({ id: 'MetricWarning' });
export type MetricWarning = z.infer<typeof metricWarning>;
const warned = {
  warnings: z
    .array(metricWarning)
    .optional()
    .meta({ description: 'Told at creation and at change.' }),
};

function shapesOf<Type extends EvalType>(type: Type) {
  const own = { ...shared, id: id(), evalType: z.literal(type), ...parts[type], ...warned };
  return z.discriminatedUnion('outputType', [
    z.object({ ...own, ...thresholds.int }),
    z.object({ ...own, ...thresholds.float }),
    z.object({ ...own, ...thresholds.boolean }),
  ]);
}

export const metric = z
  .discriminatedUnion('evalType', [shapesOf('ai'), shapesOf('human'), shapesOf('heuristic')])
  .meta({
    id: 'Metric',
    description:
      'What is measured, in one of nine shapes: who scores (`evalType`) by what comes out (`outputType`).',
    examples: [
      {
        id: exampleIds.metric,
        name: 'Same answer',
        description: null,
        evalType: 'heuristic',
        outputType: 'boolean',
        guidelines: '',
        builtin: {
          name: 'exact_match',
          options: { output: '/response', expected: '/idealAnswer', ignoreCase: true },
        },
      },
    ],
  });

function configOf<Type extends EvalType>(type: Type) {
  const own = { evalType: z.literal(type), guidelines: shared.guidelines, ...parts[type] };
  return z.discriminatedUnion('outputType', [
    z.object({ ...own, ...thresholds.int }),
    z.object({ ...own, ...thresholds.float }),
    z.object({ ...own, ...thresholds.boolean }),
  ]);
}

const listedVersion = listedVersionOf(
  z.discriminatedUnion('evalType', [configOf('ai'), configOf('human'), configOf('heuristic')]),
);

// The fields that a client may leave out when it creates a metric: they have defaults.
const creatable = {
  description: description().nullable().optional(),
  guidelines: text(20_000).default(''),
};
function creationOf<Type extends EvalType>(type: Type) {
  const own = { name: name(), ...creatable, evalType: z.literal(type), ...parts[type] };
  const optionalJudge =
    type === 'ai'
      ? { evalModelName: modelName.optional(), temperature: judged.temperature.default(0) }
      : {};
  return z.discriminatedUnion('outputType', [
    z.object({
      ...own,
      ...optionalJudge,
      outputType: z.literal('int'),
      passingThreshold: thresholds.int.passingThreshold.default(4),
    }),
    z.object({
      ...own,
      ...optionalJudge,
      outputType: z.literal('float'),
      passingThreshold: thresholds.float.passingThreshold.default(0.9),
    }),
    z.object({ ...own, ...optionalJudge, outputType: z.literal('boolean') }),
  ]);
}

function changeOf<Type extends EvalType>(type: Type) {
  const named = type === 'ai' ? { evalModelName: modelName } : {};
  const own = {
    ...z.object({ ...shared, ...parts[type], ...named }).partial().shape,
    evalType: z.literal(type),
  };
  return z.discriminatedUnion('outputType', [
    z.object({
      ...own,
      outputType: z.literal('int'),
      passingThreshold: thresholds.int.passingThreshold.optional(),
    }),
    z.object({
      ...own,
      outputType: z.literal('float'),
      passingThreshold: thresholds.float.passingThreshold.optional(),
    }),
    z.object({ ...own, outputType: z.literal('boolean') }),
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
export type MetricConfig = z.infer<typeof listedVersion>['config'];

/** A metric version as runs see it: the meaning of its scores, and who makes them. */
export const metricVersionOutline = z.object({
  metricVersionId: z.string(),
  metricId: z.string(),
  name: z.string(),
  evalType,
  outputType,
  passingThreshold: z.number().nullable(),
  /** Does the service itself make the scores, rather than people or clients? */
  isScoredByService: z.boolean(),
  /** The model of an ai metric. */
  evalModelName: z.string().nullable(),
  /** Members that score each record; 1 for all but human metrics. */
  annotators: z.int(),
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
  builtin: z.object({ name: z.string(), options: z.record(z.string(), z.unknown()) }).nullable(),
  code: code.nullable(),
});
export type MetricVersion = z.infer<typeof metricVersion>;

const metricIds = z.array(z.string().max(256)).max(100);

export const metricGroup = z
  .object({
    id: id(),
    projectId: id(),
    name: name(),
    description: description(),
    metricIds: z.array(id()),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  })
  .meta({
    id: 'MetricGroup',
    description: 'Metrics that are used together.',
    examples: [
      {
        id: exampleIds.metricGroup,
        projectId: exampleIds.project,
        name: 'Release checks',
        description: '',
        metricIds: [exampleIds.metric],
        createdAt: exampleInstant,
        updatedAt: exampleInstant,
      },
    ],
  });

/** A metric version must fit a message on the bus, which carries 1 MiB. */
const metricBytesMax = 256 * 1024;

export const metrics = service({
  name: 'metrics',
  summary: 'Metrics, their immutable versions, and groups of metrics',
  operations: {
    createMetric: operation({
      method: 'POST',
      path: '/projects/:projectId/metrics',
      summary: 'Create a metric',
      body: metricCreation,
      bodyBytesMax: metricBytesMax,
      reply: metric,
      status: 201,
      example: {
        body: {
          name: 'Same answer',
          evalType: 'heuristic',
          outputType: 'boolean',
          builtin: {
            name: 'exact_match',
            options: { output: '/response', expected: '/idealAnswer', ignoreCase: true },
          },
        },
      },
    }),
    listMetrics: list({
      path: '/projects/:projectId/metrics',
      summary: 'List the metrics of a project, newest first',
      item: metric,
    }),
    getMetric: operation({
      method: 'GET',
      path: '/metrics/:metricId',
      summary: 'Get a metric',
      reply: metric,
      status: 200,
    }),
    updateMetric: operation({
      method: 'PATCH',
      path: '/metrics/:metricId',
      summary: 'Update a metric; a change that affects its scores creates a new version',
      body: metricChange,
      bodyBytesMax: metricBytesMax,
      reply: metric,
      status: 200,
      example: {
        body: { evalType: 'heuristic', outputType: 'boolean', name: 'Same answer, any case' },
      },
    }),
    deleteMetric: operation({
      method: 'DELETE',
      path: '/metrics/:metricId',
      summary: 'Delete a metric',
      reply: success,
      status: 200,
    }),
    listMetricVersions: list({
      path: '/metrics/:metricId/versions',
      summary: 'List the versions of a metric with what changed, newest first',
      item: listedVersion,
    }),
    listEvaluators: operation({
      method: 'GET',
      path: '/evaluators',
      summary:
        'The built-in evaluators of heuristic metrics, with the JSON Schema of their options and an example',
      reply: z.object({ data: z.array(evaluator) }),
      status: 200,
    }),
    createMetricGroup: operation({
      method: 'POST',
      path: '/projects/:projectId/metric-groups',
      summary: 'Create a group of metrics',
      body: z.object({ name: name(), description: description().default(''), metricIds }),
      reply: metricGroup,
      status: 201,
      example: { body: { name: 'Release checks', metricIds: [exampleIds.metric] } },
    }),
    listMetricGroups: list({
      path: '/projects/:projectId/metric-groups',
      summary: 'List the metric groups of a project, newest first',
      item: metricGroup,
    }),
    getMetricGroup: operation({
      method: 'GET',
      path: '/metric-groups/:metricGroupId',
      summary: 'Get a metric group',
      reply: metricGroup,
      status: 200,
    }),
    updateMetricGroup: operation({
      method: 'PATCH',
      path: '/metric-groups/:metricGroupId',
      summary: 'Update a metric group',
      body: z.object({ name: name(), description: description(), metricIds }).partial(),
      reply: metricGroup,
      status: 200,
      example: { body: { metricIds: [exampleIds.metric] } },
    }),
    deleteMetricGroup: operation({
      method: 'DELETE',
      path: '/metric-groups/:metricGroupId',
      summary: 'Delete a metric group but not its metrics',
      reply: success,
      status: 200,
    }),
  },
  questions: {
    currentVersions: question({
      summary:
        "The current versions of a project's metrics, or of any project's, in the order asked; ids that are no metric of it are told",
      payload: z.object({ projectId: z.string().nullable(), metricIds: z.array(z.string()) }),
      reply: z.object({ versions: z.array(metricVersionOutline), missing: z.array(z.string()) }),
    }),
    version: question({
      summary: 'A complete metric version, also of a deleted metric',
      payload: z.object({ metricVersionId: z.string() }),
      reply: z.object({ version: metricVersion.nullable() }),
    }),
    changedVersion: question({
      summary:
        'A metric as it would score after a change, which is checked but not applied; `current` is how it scores now',
      payload: z.object({ metricId: z.string(), change: metricChange }),
      reply: z.object({ projectId: z.string(), current: metricVersion, changed: metricVersion }),
      timeoutMs: 10_000,
    }),
    checkedVersion: question({
      summary:
        'A metric as it would score once it is created, or changed, and all that is wrong with it; nothing is kept',
      payload: z.object({
        projectId: z.string(),
        metricId: z.string().nullable(),
        /** The JSON text of the creation's body, or with `metricId` of the change's. */
        body: z.string(),
      }),
      reply: z.object({
        issues: z.array(metricIssue),
        warnings: z.array(metricWarning),
        version: metricVersion.nullable(),
      }),
      timeoutMs: 10_000,
    }),
    forgetProject: question({
      summary: 'Delete everything in a deleted project before answering',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
  },
});
