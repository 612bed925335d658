import { z } from 'zod';
import { viewOperations } from './catalog/views.ts';
import { event, list, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { description, id, name, reference, success, text } from './fields.ts';
import { nameOperations } from './names.ts';
import { payload } from './payload.ts';
import { importOperations } from './project-file/import-operations.ts';
import { partExport, partRestore } from './project-file/operations.ts';

export { type SavedView, viewsMax } from './catalog/views.ts';

export const traceRetentionDays = z.number().int().min(0).max(36_500).meta({
  description:
    'Days from the last span of a trace to its deletion, for spans that come from now on. With 0 a trace goes an hour after its last span: monitors are asked about it, and nothing keeps it. Left out where the installation’s own rule holds (`TRACE_RETENTION_DAYS`, 30).',
});

export const runRetentionDays = z.number().int().min(1).max(36_500).meta({
  description:
    'Days from the last change of a run to its expiry, for runs that there are, too. A run that is a baseline, or in which anything is labelled, annotated, commented or linked, stays whole; of another its results are kept, and its records go. `GET /projects/{projectId}/run-retention` says what would go. Left out where runs are kept for ever.',
});

export const project = z
  .object({
    id: id(),
    name: name(),
    description: description(),
    traceRetentionDays: traceRetentionDays.optional(),
    runRetentionDays: runRetentionDays.optional(),
  })
  .meta({
    id: 'Project',
    description: 'What a team evaluates: holds testsets, systems, metrics and runs.',
  });

const keys = z.array(text(1024)).max(5000);

export const fieldMapping = z
  .object({
    inputs: keys.meta({ description: 'What the system is given.' }),
    expected: keys.meta({ description: 'What it should answer.' }),
    metadata: keys.meta({ description: 'What neither is, for people and filters.' }),
  })
  .meta({
    id: 'FieldMapping',
    description:
      'The role of each top-level key of a testcase. A key that is nowhere counts as metadata.',
  });

export const tagsField = text(1024, 1).meta({
  description:
    'The metadata field that has the tags of a testcase: a list of texts, or one text. Left out where the testset has no tags.',
});

export const testset = z
  .object({
    id: id(),
    name: name(),
    description: description(),
    jsonSchema: payload('The JSON Schema of a testcase. 2020-12 unless `$schema` says otherwise.'),
    fieldMapping,
    tagsField: tagsField.optional(),
    baselineRunId: id().nullable().meta({
      description:
        'The run with which comparisons compare where they name no baseline. It may have been deleted since.',
    }),
  })
  .meta({ id: 'Testset', description: 'Testcases of one shape.' });

export type Project = z.infer<typeof project>;
export type Testset = z.infer<typeof testset>;
export type FieldMapping = z.infer<typeof fieldMapping>;

const projectBody = project.omit({ id: true });
const projectChange = projectBody.partial().extend({
  traceRetentionDays: traceRetentionDays.nullable().optional().meta({
    description: 'Null is the installation’s own rule again.',
  }),
  runRetentionDays: runRetentionDays.nullable().optional().meta({
    description: 'With null, runs are kept for ever again; those that have expired stay expired.',
  }),
});
const testsetBody = testset.omit({ id: true, baselineRunId: true });
const testsetChange = testsetBody.partial().extend({
  tagsField: tagsField.nullable().optional().meta({
    description: 'Null is a testset without tags again. Testcases stay as they are.',
  }),
});
const schemaBytesMax = 512 * 1024;

const exampleTestset = {
  name: 'Support questions',
  description: 'Questions that customers asked in March',
  jsonSchema: {
    type: 'object',
    properties: {
      question: { type: 'string' },
      idealAnswer: { type: 'string' },
      topic: { type: 'string' },
    },
    required: ['question', 'idealAnswer'],
  },
  fieldMapping: { inputs: ['question'], expected: ['idealAnswer'], metadata: ['topic'] },
};
const exampleProject = { name: 'Support bot', description: 'Answers to customers' };

export const catalog = service({
  name: 'catalog',
  summary: 'Projects, testsets and saved views',
  operations: {
    createProject: operation({
      method: 'POST',
      path: '/projects',
      summary: 'Create a project',
      body: projectBody,
      reply: project,
      status: 201,
      example: { body: exampleProject, reply: { id: exampleIds.project, ...exampleProject } },
    }),
    listProjects: list({
      path: '/projects',
      summary: 'List the projects, oldest first',
      item: project,
    }),
    getProject: operation({
      method: 'GET',
      path: '/projects/:projectId',
      summary: 'Get a project',
      reply: project,
      status: 200,
    }),
    updateProject: operation({
      method: 'PATCH',
      path: '/projects/:projectId',
      summary: 'Update a project',
      body: projectChange,
      reply: project,
      status: 200,
      example: { body: { description: 'Answers to customers and partners' } },
    }),
    deleteProject: operation({
      method: 'DELETE',
      path: '/projects/:projectId',
      expensive: true,
      summary: 'Delete a project and everything in it',
      reply: success,
      status: 200,
    }),
    createTestset: operation({
      method: 'POST',
      path: '/projects/:projectId/testsets',
      expensive: true,
      summary: 'Create a testset',
      body: testsetBody,
      bodyBytesMax: schemaBytesMax,
      reply: testset,
      status: 201,
      example: {
        body: exampleTestset,
        reply: { id: exampleIds.testset, ...exampleTestset, baselineRunId: null },
      },
    }),
    listTestsets: list({
      path: '/projects/:projectId/testsets',
      summary: 'List the testsets of a project, oldest first',
      item: testset,
    }),
    getTestset: operation({
      method: 'GET',
      path: '/testsets/:testsetId',
      summary: 'Get a testset',
      reply: testset,
      status: 200,
    }),
    updateTestset: operation({
      method: 'PATCH',
      path: '/testsets/:testsetId',
      expensive: true,
      summary:
        'Update a testset; from then on its testcases are read with the new schema and mapping',
      body: testsetChange,
      bodyBytesMax: schemaBytesMax,
      reply: testset,
      status: 200,
      example: { body: { name: 'Support questions, spring', tagsField: 'topic' } },
    }),
    setBaseline: operation({
      method: 'PUT',
      path: '/testsets/:testsetId/baseline',
      summary:
        'Set the run of the testset with which comparisons compare where they name no baseline, or none',
      body: z.object({ runId: reference().nullable() }),
      reply: testset,
      status: 200,
      example: { body: { runId: exampleIds.run } },
    }),
    deleteTestset: operation({
      method: 'DELETE',
      path: '/testsets/:testsetId',
      expensive: true,
      summary: 'Delete a testset and its testcases',
      reply: success,
      status: 200,
    }),
    duplicateTestset: operation({
      method: 'POST',
      path: '/testsets/:testsetId/duplicate',
      expensive: true,
      summary: 'Copy a testset and its testcases',
      takesLong: true,
      body: z.object({ name: name().optional() }).optional(),
      reply: testset,
      status: 201,
      example: { body: { name: 'Support questions (copy)' } },
    }),
    ...nameOperations,
    ...viewOperations,
    exportCatalogPart: partExport('catalog'),
    restoreCatalogPart: partRestore('catalog'),
    ...importOperations,
  },
  questions: {
    project: question({
      summary: 'Whether a project exists',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({ found: z.boolean(), traceRetentionDays: z.number().optional() }),
    }),
    oldestProject: question({
      summary: "The organization's oldest project, or null",
      payload: z.object({}),
      reply: z.object({ projectId: z.string().nullable() }),
    }),
    testset: question({
      summary:
        'A testset with its schema and mapping; "unchanged" if the caller has the current version',
      payload: z.object({ testsetId: z.string(), knownVersion: z.number().optional() }),
      reply: z.discriminatedUnion('outcome', [
        z.object({ outcome: z.literal('missing') }),
        z.object({ outcome: z.literal('unchanged') }),
        z.object({
          outcome: z.literal('found'),
          testset: z.object({
            id: z.string(),
            projectId: z.string(),
            version: z.number(),
            schemaText: z.string(),
            schemaHash: z.string(),
            fieldMapping,
            tagsField: z.string().optional(),
          }),
        }),
      ]),
    }),
    testsetFields: question({
      summary: "The fields that a project's testsets give to records; null where it has no testset",
      payload: z.object({ projectId: z.string() }),
      reply: z.object({
        fields: z.object({ inputs: z.array(z.string()), expected: z.array(z.string()) }).nullable(),
      }),
      /** Short: only warnings need it. */
      timeoutMs: 1000,
    }),
    runRetention: question({
      summary:
        "How long runs are kept by the organization's projects, those with a rule or the one that is named, and the baselines of their testsets",
      payload: z.object({ projectId: z.string().optional() }),
      reply: z.object({
        projects: z.array(
          z.object({
            projectId: z.string(),
            days: z.number().nullable(),
            baselineRunIds: z.array(z.string()),
          }),
        ),
      }),
    }),
    baseline: question({
      summary: 'The baseline run of a testset, or null',
      payload: z.object({ testsetId: z.string() }),
      reply: z.object({ found: z.boolean(), baselineRunId: z.string().nullable() }),
    }),
  },
  events: {
    projectDeleted: event({
      summary: 'A project was deleted',
      payload: z.object({ projectId: z.string() }),
    }),
    testsetDeleted: event({
      summary: 'A testset was deleted',
      payload: z.object({ testsetId: z.string(), projectId: z.string() }),
    }),
  },
});

/** A testset as another service sees it. */
export type TestsetDefinition = Extract<
  z.infer<(typeof catalog)['questions']['testset']['reply']>,
  { outcome: 'found' }
>['testset'];
