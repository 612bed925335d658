import { z } from 'zod';
import { list, operation, question, service } from './define.ts';
import { exampleIds } from './examples.ts';
import { description, name, success } from './fields.ts';
import { evaluator } from './metrics/evaluator.ts';
import { exampleChange, exampleCreation } from './metrics/examples.ts';
import { metricGroup, metricIds } from './metrics/group.ts';
import { metricIssue } from './metrics/issue.ts';
import { judgeTemplate, metricAdoption } from './metrics/judge-template.ts';
import {
  listedVersion,
  metric,
  metricChange,
  metricCreation,
  metricVersion,
  metricVersionOutline,
  metricWarning,
  modelName,
} from './metrics/metric.ts';
import { namesQuestion } from './names.ts';
import { moveAuthorQuestion } from './project-file/authors.ts';
import { partExport, partRestore, partReveal } from './project-file/operations.ts';

export type { Evaluator } from './metrics/evaluator.ts';
export type { JudgeTemplate } from './metrics/judge-template.ts';
export * from './metrics/metric.ts';

/** A metric version must fit a message on the bus, which carries 1 MiB. */
const metricBytesMax = 256 * 1024;

/** Of what checks code: one may wait for its turn, and a sandbox starts late on a busy machine. */
const codeCheckTimeoutMs = 25_000;

export const metrics = service({
  name: 'metrics',
  summary: 'Metrics, their immutable versions, and groups of metrics',
  operations: {
    createMetric: operation({
      method: 'POST',
      path: '/projects/:projectId/metrics',
      expensive: true,
      summary: 'Create a metric',
      body: metricCreation,
      bodyBytesMax: metricBytesMax,
      reply: metric,
      status: 201,
      example: { body: exampleCreation('heuristic', 'boolean') },
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
      expensive: true,
      summary: 'Update a metric; a change that affects its scores creates a new version',
      body: metricChange,
      bodyBytesMax: metricBytesMax,
      reply: metric,
      status: 200,
      example: { body: exampleChange('heuristic', 'boolean') },
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
    listJudgeTemplates: operation({
      method: 'GET',
      path: '/judge-templates',
      summary:
        'The ready-made judges, with their criteria, their prompts, and an example of each outcome',
      reply: z.object({ data: z.array(judgeTemplate) }),
      status: 200,
    }),
    adoptMetric: operation({
      method: 'POST',
      path: '/projects/:projectId/metrics/adopt',
      expensive: true,
      summary: 'Create a metric from a ready-made judge',
      description:
        'The metric is an ordinary ai metric of the project: it can be changed at will, and later versions of the template do not change it.',
      body: metricAdoption.extend({
        evalModelName: modelName
          .optional()
          .meta({ description: 'The model that judges; the default one when left out.' }),
      }),
      reply: metric,
      status: 201,
      example: {
        body: {
          template: 'faithfulness',
          name: 'Faithful to the manual',
          fields: { context: '/inputs/passages', answer: '/outputs/answer' },
        },
      },
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
    exportMetricsPart: partExport('metrics'),
    restoreMetricsPart: partRestore('metrics'),
    revealMetricsPart: partReveal('metrics'),
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
    metricOfGuidelines: question({
      summary:
        'The metric of a project that asks a judge whether records meet these guidelines; created unless it is there',
      payload: z.object({ projectId: z.string(), guidelines: z.string() }),
      reply: z.object({ metricId: z.string() }),
      timeoutMs: 10_000,
    }),
    changes: question({
      summary: 'The fields in which two versions of a metric score in other ways',
      payload: z.object({ from: z.string(), to: z.string() }),
      reply: z.object({ changes: z.array(z.string()) }),
    }),
    changedVersion: question({
      summary:
        'A metric as it would score after a change, which is checked but not applied; `current` is how it scores now',
      payload: z.object({ metricId: z.string(), change: metricChange }),
      reply: z.object({ projectId: z.string(), current: metricVersion, changed: metricVersion }),
      timeoutMs: codeCheckTimeoutMs,
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
      timeoutMs: codeCheckTimeoutMs,
    }),
    names: namesQuestion,
    moveAuthor: moveAuthorQuestion,
    forgetProject: question({
      summary: 'Delete everything in a deleted project before answering',
      payload: z.object({ projectId: z.string() }),
      reply: z.object({}),
    }),
  },
});
