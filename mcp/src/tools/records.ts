import type { ReplyOf } from '@assay/client/operations';
import { type PreviewOf, previewed } from '@assay/client/preview-of';
import { pointerSegments } from '@assay/json/pointer';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { z } from 'zod';
import { fit, ToolFailure } from '../answer.ts';
import { readPayloadPart } from '../payload-part.ts';
import { findRunMetric } from '../run-metrics.ts';
import {
  cursor,
  defineTool,
  id,
  items,
  link,
  namedRun,
  nextCursor,
  notice,
  summary,
  type ToolContext,
} from '../tool.ts';

export type PreviewedRecord = PreviewOf<ReplyOf<'GET', '/records/:recordId'>>;
type RecordScore = PreviewedRecord['scores'][number];
export interface RecordPage {
  data: PreviewedRecord[];
  nextCursor: string | null;
}

const valueIn = ({ value, binaryScore, intScore, floatScore }: RecordScore['score']) =>
  value ?? binaryScore ?? intScore ?? floatScore;

export const reasoningOf = ({ score }: { score: RecordScore['score'] }): string =>
  typeof score?.reasoning === 'string' ? score.reasoning : '';

/** Scores that are told of one record, and of each in a list: a run may have more metrics. */
const scoresMax = 12;
const listedScoresMax = 2;

interface ShortOptions {
  characters: number;
  projectId: string | undefined;
  scoresMax: number;
}

/** A record with the beginnings of its texts. */
export function shortRecord(
  record: PreviewedRecord,
  { marks, links }: ToolContext,
  { characters, projectId, scoresMax }: ShortOptions,
) {
  const payload = ({ text, bytes, isCut }: PreviewedRecord['inputs']) => ({
    data: marks.data(text, characters),
    ...(isCut || text.length > characters ? { bytes } : {}),
  });
  return {
    recordId: record.id,
    link: links.of(projectId, 'records', record.id),
    testcaseId: record.testcaseId,
    inputs: payload(record.inputs),
    expected: payload(record.expected),
    outputs: payload(record.outputs),
    ...(record.error ? { error: marks.data(errorText(record.error), characters) } : {}),
    scores: record.scores.slice(0, scoresMax).map((score) => ({
      metricVersionId: score.metricConfigId,
      value: valueText(valueIn(score.score ?? {})),
      source: score.source,
      reasoning: marks.data(reasoningOf(score), characters),
    })),
    missing: record.missingScores
      .slice(0, scoresMax)
      .map(({ metricConfigId, state, code }) => ({ metricVersionId: metricConfigId, state, code })),
    ...(record.scores.length > scoresMax ? { scoresInAll: record.scores.length } : {}),
  };
}

const errorText = ({ name = 'Error', message, stack }: NonNullable<PreviewedRecord['error']>) =>
  [`${name}: ${message}`, ...(stack ? [stack] : [])].join('\n');

/** A client's score may carry anything in the place of a value. */
const valueText = (value: unknown): number | boolean | string =>
  typeof value === 'number' || typeof value === 'boolean' ? value : 'none that fits';

const listInput = z.object({
  runId: namedRun,
  metric: z.string().min(1).max(256).optional().describe('Name or id of a metric of the run.'),
  outcome: z
    .enum(['pass', 'fail', 'failed', 'pending', 'awaited', 'errored', 'invalid'])
    .optional(),
  tag: z.string().min(1).max(256).optional(),
  text: z.string().min(1).max(256).optional().describe('Stands in a payload; no other filter.'),
  limit: z.int().min(1).max(10).default(5),
  cursor,
});
type ListInput = z.output<typeof listInput>;

export const listRecords = defineTool({
  name: 'list_records',
  title: 'Records of a run',
  description:
    'Lists records of a run with the beginnings of their payloads, two of their scores with reasonings (first that of the metric that is asked for): those of an outcome of a metric (fail, pass, failed to be scored, pending, awaited, errored where the system failed, invalid), with a tag, or with a text in a payload.',
  effect: 'read',
  input: listInput,
  output: z.object({ summary, notice, records: items, nextCursor }),
  async run(input, context) {
    const { runId, text, limit } = input;
    const page =
      text === undefined ? await filtered(input, context) : await searched(input, context);
    const projectId = await context.links.projectOfRun(runId);
    const perRecord = Math.max(60, Math.floor(4_000 / limit));
    return fit((characters) => ({
      summary: `${page.data.length} records${page.nextCursor === null ? '' : ', and maybe more: go on with nextCursor'}. get_record has the whole of one.`,
      notice: context.marks.notice,
      records: page.data.map((record) =>
        shortRecord(record, context, {
          characters: Math.min(characters, perRecord),
          projectId,
          scoresMax: listedScoresMax,
        }),
      ),
      nextCursor: page.nextCursor,
    }));
  },
});

async function filtered(input: ListInput, { api }: ToolContext): Promise<RecordPage> {
  const { runId, metric, outcome, tag, limit, cursor } = input;
  if ((outcome === undefined) !== (metric === undefined))
    throw new ToolFailure('`metric` and `outcome` go together: give both of them, or none.');
  const asked =
    outcome === undefined ? undefined : (await findRunMetric(api, runId, metric)).metricVersionId;
  const page = previewed(
    await api.request('GET', '/runs/:runId/records', {
      params: { runId },
      query: {
        limit,
        preview: 1000,
        ...(asked === undefined ? {} : { metricVersionId: asked, outcome: outcome! }),
        ...(tag === undefined ? {} : { tags: tag }),
        ...(cursor === undefined ? {} : { cursor }),
      },
    }),
  );
  for (const { scores } of page.data)
    scores.sort(
      (one, other) => Number(other.metricConfigId === asked) - Number(one.metricConfigId === asked),
    );
  return page;
}

async function searched(input: ListInput, { api }: ToolContext): Promise<RecordPage> {
  const { runId, metric, outcome, tag, text, limit, cursor } = input;
  if (metric !== undefined || outcome !== undefined || tag !== undefined)
    throw new ToolFailure('`text` stands alone: leave `metric`, `outcome` and `tag` out.');
  return previewed(
    await api.request('POST', '/runs/:runId/records/search', {
      params: { runId },
      query: { preview: 1000 },
      body: { text: text!, limit, ...(cursor === undefined ? {} : { cursor }) },
    }),
  );
}

const charactersMax = 8_000;
const atForm = /^\/(inputs|expected|outputs)(\/.*)?$/s;

/** Payloads of up to 15 MiB are held: few at once. */
const withPermit = createFairSemaphore({ permits: 4, permitsEach: 2 });

export const getRecord = defineTool({
  name: 'get_record',
  title: 'A record',
  description:
    'Gives a record with its scores, tags and annotations, why its system failed, and the beginnings of its payloads. `at`, such as /outputs/answer, gives 8,000 characters of one value from `offset` on.',
  effect: 'read',
  input: z.object({
    recordId: id('record'),
    at: z
      .string()
      .max(1000)
      .regex(atForm, 'must begin with /inputs, /expected or /outputs')
      .optional()
      .describe('A JSON Pointer into the record.'),
    offset: z.int().min(0).optional().describe('Characters before the part, with `at`.'),
  }),
  output: z.object({ summary, notice, recordId: z.string(), link }),
  async run({ recordId, at, offset = 0 }, context) {
    if (at !== undefined) return partOf(recordId, at, offset, context);
    const { api, links, marks } = context;
    const [record, tags, annotations] = await Promise.all([
      api
        .request('GET', '/records/:recordId', { params: { recordId }, query: { preview: 2000 } })
        .then(previewed),
      api.request('GET', '/records/:recordId/tags', { params: { recordId } }),
      api.request('GET', '/records/:recordId/annotations', { params: { recordId } }),
    ]);
    const projectId = await links.projectOfRun(record.runId);
    return fit((characters) => ({
      summary: 'A payload that has `bytes` is cut: ask for more with `at` and `offset`.',
      notice: marks.notice,
      ...shortRecord(record, context, { characters, projectId, scoresMax }),
      runId: record.runId,
      tags: tags.data.slice(0, 20).map(({ text }) => marks.data(text, Math.min(characters, 100))),
      annotations: annotations.data.slice(0, 10).map(({ rating, comment }) => ({
        rating,
        comment: marks.data(comment ?? '', characters),
      })),
    }));
  },
});

async function partOf(recordId: string, at: string, offset: number, context: ToolContext) {
  const { api, links, marks } = context;
  const [, field = '', pointer = ''] = atForm.exec(at)!;
  // An organization has many keys: its turns are its own, and not those of each key.
  const { organization } = await api.request('GET', '/me');
  const [{ part, characters }, record] = await Promise.all([
    withPermit(organization.id, async () => {
      const response = await api.open('GET', '/records/:recordId/payloads/:field', {
        params: { recordId, field },
      });
      const bytes = new Uint8Array(await response.arrayBuffer());
      const segments = pointerSegments(pointer);
      const found = await readPayloadPart(
        { bytes, segments, offset },
        { organizationId: organization.id },
      );
      if (!found)
        throw new ToolFailure(`\`at\` leads to nothing: there is no ${JSON.stringify(at)}.`);
      return found;
    }),
    api.request('GET', '/records/:recordId', { params: { recordId }, query: { preview: 0 } }),
  ]);
  const end = offset + part.length;
  const isCut = end < characters;
  return {
    summary: `Characters ${offset} to ${end} of ${characters}${isCut ? `: go on with offset ${end}` : ''}.`,
    notice: marks.notice,
    recordId,
    link: links.of(await links.projectOfRun(record.runId), 'records', recordId),
    at,
    text: marks.data(part, charactersMax),
    nextOffset: isCut ? end : null,
  };
}
