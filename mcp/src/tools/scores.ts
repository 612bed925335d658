import { scoreValue, valueInWords } from '@assay/contracts/scale';
import { z } from 'zod';
import { ToolFailure } from '../answer.ts';
import { findRunMetric, type RunMetric } from '../run-metrics.ts';
import { defineTool, id, link, summary, type ToolContext } from '../tool.ts';

/** Tells scores and annotations of agents from those that people gave by themselves. */
const agentTag = 'mcp';

export const scoreRecord = defineTool({
  name: 'score_record',
  title: 'Score a record',
  description:
    "Gives a record a score for a metric of its run, as the member whose key this is; it takes the place of the score that is there, a judge's too. The record gets the tag mcp.",
  effect: 'replace',
  input: z.object({
    recordId: id('record'),
    metric: z.string().min(1).max(256).describe('Name or id of a metric of the run.'),
    value: z
      .union([z.boolean(), z.number()])
      .describe("true or false, or a number on the metric's scale: run_status tells it."),
    reasoning: z.string().min(1).max(4000),
  }),
  output: z.object({ summary, recordId: z.string(), link }),
  async run({ recordId, metric: wanted, value, reasoning }, context) {
    const { api } = context;
    const { runId } = await readRecord(recordId, context);
    const metric = await findRunMetric(api, runId, wanted);
    const score = { ...valueFor(metric, value), reasoning };
    await api.request('PUT', '/records/:recordId/scores/:metricConfigId', {
      params: { recordId, metricConfigId: metric.metricVersionId },
      body: {
        score,
      },
    });
    await tag(recordId, context);
    return answerOf('The score is stored.', recordId, runId, context);
  },
});

const valueFields = { boolean: 'binaryScore', int: 'intScore', float: 'floatScore' } as const;

function valueFor(metric: RunMetric, value: boolean | number) {
  const fitting = scoreValue(metric, value);
  if (fitting === undefined)
    throw new ToolFailure(
      `value: must be ${valueInWords(metric)}, since the metric is ${metric.outputType}.`,
    );
  return { [valueFields[metric.outputType]]: fitting };
}

export const annotateRecord = defineTool({
  name: 'annotate_record',
  title: 'Annotate a record',
  description:
    'Adds a comment, a rating (true is good), or both to a record, as the member whose key this is. The record gets the tag mcp.',
  effect: 'add',
  input: z.object({
    recordId: id('record'),
    comment: z.string().min(1).max(10_000).optional(),
    rating: z.boolean().optional(),
  }),
  output: z.object({ summary, recordId: z.string(), link }),
  async run({ recordId, comment, rating }, context) {
    if (comment === undefined && rating === undefined)
      throw new ToolFailure('Give a comment, a rating, or both.');
    const { runId } = await readRecord(recordId, context);
    await context.api.request('POST', '/records/:recordId/annotations', {
      params: { recordId },
      body: { comment, rating },
    });
    await tag(recordId, context);
    return answerOf('The annotation is stored.', recordId, runId, context);
  },
});

const readRecord = (recordId: string, { api }: ToolContext): Promise<{ runId: string }> =>
  api.request('GET', '/records/:recordId', { params: { recordId }, query: { preview: 0 } });

const tag = (recordId: string, { api }: ToolContext): Promise<unknown> =>
  api.request('POST', '/records/:recordId/tags', {
    params: { recordId },
    body: { text: agentTag },
  });

const answerOf = async (
  summary: string,
  recordId: string,
  runId: string,
  { links }: ToolContext,
) => ({
  summary,
  recordId,
  link: links.of(await links.projectOfRun(runId), 'records', recordId),
});
