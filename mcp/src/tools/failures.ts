import { previewed } from '@assay/client/preview-of';
import { z } from 'zod';
import { fit } from '../answer.ts';
import { groupByWords, type ReasonGroup } from '../reason-groups.ts';
import { findRunMetric } from '../run-metrics.ts';
import { defineTool, items, link, namedRun, notice, summary, type ToolContext } from '../tool.ts';
import { type PreviewedRecord, type RecordPage, reasoningOf, shortRecord } from './records.ts';

const recordsMax = 200;
const pageSize = 100;
const examplesMax = 3;

export const explainFailures = defineTool({
  name: 'explain_failures',
  title: 'Why records fail',
  description:
    'Groups the records of a run that fail a metric by words of the reasonings, with three examples each. It reads the first 200 that fail.',
  effect: 'read',
  input: z.object({
    runId: namedRun,
    metric: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('Name or id of a metric of the run; needed where it has several.'),
  }),
  output: z.object({ summary, notice, metric: z.string(), link, groups: items }),
  async run({ runId, metric: wanted }, context) {
    const { api, links, marks } = context;
    const metric = await findRunMetric(api, runId, wanted);
    const { records, isWhole } = await readFailing(runId, metric.metricVersionId, context);
    const groups = groupByWords(
      records.map((record) => ({
        item: record,
        text: reasoningIn(record, metric.metricVersionId),
      })),
    );
    const projectId = await links.projectOfRun(runId);
    return fit((characters) => ({
      summary:
        records.length === 0
          ? 'No record fails this metric.'
          : `${isWhole ? '' : 'The first '}${records.length} records fail; ${metric.records} have a score.`,
      notice: marks.notice,
      metric: metric.metricId,
      link: links.of(projectId, 'runs', runId),
      groups: groups.map((group) => shown(group, characters)),
    }));

    function shown({ word, items }: ReasonGroup<PreviewedRecord>, characters: number) {
      return {
        word: word === undefined ? null : marks.data(word, 40),
        records: items.length,
        examples: items.slice(0, examplesMax).map((record) => {
          const { recordId, link, inputs, expected, outputs } = shortRecord(record, context, {
            characters: Math.min(characters, 250),
            projectId,
            scoresMax: 0,
          });
          const reasoning = marks.data(
            reasoningIn(record, metric.metricVersionId),
            Math.min(characters, 500),
          );
          return { recordId, link, inputs, expected, outputs, reasoning };
        }),
      };
    }
  },
});

const reasoningIn = ({ scores }: PreviewedRecord, metricVersionId: string): string =>
  scores
    .filter(({ metricConfigId }) => metricConfigId === metricVersionId)
    .map(reasoningOf)
    .join('\n');

async function readFailing(runId: string, metricVersionId: string, { api }: ToolContext) {
  const records: PreviewedRecord[] = [];
  let cursor: string | null = null;
  do {
    const page: RecordPage = previewed(
      await api.request('GET', '/runs/:runId/records', {
        params: { runId },
        query: {
          metricVersionId,
          outcome: 'fail',
          limit: pageSize,
          preview: 250,
          ...(cursor === null ? {} : { cursor }),
        },
      }),
    );
    records.push(...page.data);
    cursor = page.nextCursor;
  } while (cursor !== null && records.length < recordsMax);
  return { records: records.slice(0, recordsMax), isWhole: cursor === null };
}
