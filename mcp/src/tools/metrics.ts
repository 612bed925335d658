import type { BodyOf, ReplyOf } from '@assay/client/operations';
import { countOf } from '@assay/comparison/figures';
import { z } from 'zod';
import { fit, ToolFailure } from '../answer.ts';
import { label } from '../marks.ts';
import { estimatePreview } from '../preview-estimate.ts';
import { defineTool, id, items, link, namedRun, notice, summary } from '../tool.ts';

/** The words of Landis and Koch (1977) for agreement beyond chance. */
function inWords(value: number | null): string {
  if (value === null) return 'not known: too few records have scores of both';
  const words: [number, string][] = [
    [0.8, 'almost perfect'],
    [0.6, 'substantial'],
    [0.4, 'moderate'],
    [0.2, 'fair'],
    [0, 'slight'],
  ];
  return words.find(([low]) => value > low)?.[1] ?? 'poor';
}

export const metricReliability = defineTool({
  name: 'metric_reliability',
  title: 'How far a judge agrees with people',
  description:
    'Tells how far the scores of a judge agree with those that people gave to the same records of a run, beyond chance, and where they differ.',
  effect: 'read',
  input: z.object({
    metricId: id('metric'),
    runId: namedRun,
    humanMetricId: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe('The metric by which people scored, where they did not correct the judge itself.'),
  }),
  output: z.object({ summary, notice, agreement: z.looseObject({}), disagreements: items }),
  async run({ metricId, runId, humanMetricId }, { api, links, marks }) {
    const query = { runId, ...(humanMetricId ? { humanMetricId } : {}) };
    const [reliability, projectId] = await Promise.all([
      api.request('GET', '/metrics/:metricId/reliability', { params: { metricId }, query }),
      links.projectOfRun(runId),
    ]);
    const { agreement, disagreements, testRetest, byRun } = reliability;
    const figure =
      agreement.value === null ? '' : ` (${agreement.measure} ${agreement.value.toFixed(2)})`;
    return fit((characters) => ({
      summary: `The agreement of judge and people is ${inWords(agreement.value)}${figure}. They differ on ${disagreements.length} records; the first 15 are listed.`,
      notice: marks.notice,
      agreement,
      testRetest,
      byRun,
      disagreements: disagreements.slice(0, 15).map(({ recordId, judge, human, reasoning }) => ({
        recordId,
        link: links.of(projectId, 'records', recordId),
        judge,
        human,
        reasoning: marks.data(reasoning ?? '', Math.min(characters, 500)),
      })),
    }));
  },
});

const change = z
  .record(z.string(), z.unknown())
  .describe(
    'What changes, as in PATCH /metrics: for example { "promptTemplate": "…" }, { "passingThreshold": 4 } or { "evalModelName": "gpt-4o" }.',
  );

export const previewMetric = defineTool({
  name: 'preview_metric',
  title: 'Try a change of a metric',
  description:
    'Scores records of a run with a changed metric, stores nothing, and tells which records flip. A judge costs money: without confirmCostUsd the answer is the estimate alone; call it again with confirmCostUsd of at least the estimate when the user agrees.',
  effect: 'pay',
  asksJudges: true,
  input: z.object({
    metricId: id('metric'),
    runId: namedRun,
    change,
    limit: z.int().min(1).max(50).default(20).describe('Records that are scored.'),
    confirmCostUsd: z.number().min(0).max(1_000).optional(),
  }),
  output: z.object({
    summary,
    notice,
    done: z.boolean(),
    estimateUsd: z.number().nullable(),
    costUsd: z.number().optional(),
    flips: items.optional(),
    notApplicable: items
      .optional()
      .describe('The first records that the metric says that it does not apply to, and why.'),
  }),
  async run({ metricId, runId, change, limit, confirmCostUsd }, context) {
    const { api, links, marks } = context;
    const metric = await api.request('GET', '/metrics/:metricId', { params: { metricId } });
    const changed = { evalType: metric.evalType, outputType: metric.outputType, ...change };
    const estimateUsd = await estimatePreview(api, { ...metric, ...changed }, { runId, limit });
    if (confirmCostUsd === undefined && estimateUsd !== 0)
      return {
        summary:
          estimateUsd === null
            ? 'Nothing was asked yet. The price of the model is not known: name the most that this may cost as confirmCostUsd when the user agrees.'
            : `Nothing was asked yet. The judge would cost about $${estimateUsd.toFixed(4)}: give confirmCostUsd of at least that when the user agrees.`,
        done: false,
        estimateUsd,
      };
    if (estimateUsd !== null && (confirmCostUsd ?? 0) < estimateUsd)
      throw new ToolFailure(
        `confirmCostUsd is ${confirmCostUsd}, and the judge would cost about ${estimateUsd.toFixed(4)} dollars: confirm at least that, or lower limit.`,
      );
    const preview = await api.request('POST', '/metrics/:metricId/preview', {
      params: { metricId },
      body: {
        change: changed,
        runId,
        limit,
      },
    });
    const projectId = await links.projectOfRun(runId);
    return fit((characters) => ({
      summary: `${preview.flipped} of ${preview.scored} records flip; ${preview.failed} could not be scored.${notApplicableIn(preview)} It cost $${preview.costUsd.toFixed(4)}. Nothing is stored: save_metric stores the change.`,
      notice: marks.notice,
      done: true,
      estimateUsd,
      costUsd: preview.costUsd,
      before: preview.before,
      after: preview.after,
      flips: preview.flips.slice(0, 20).map(({ recordId, before, after, reasoning }) => ({
        recordId,
        link: links.of(projectId, 'records', recordId),
        before,
        after,
        reasoning: marks.data(reasoning, Math.min(characters, 500)),
      })),
      failures: preview.failures.slice(0, 5).map(({ code, message }) => ({
        code,
        message: marks.data(message, Math.min(characters, 300)),
      })),
      notApplicable: preview.notApplicable?.slice(0, 20).map(({ recordId, reasoning }) => ({
        recordId,
        link: links.of(projectId, 'records', recordId),
        reasoning: marks.data(reasoning, Math.min(characters, 500)),
      })),
    }));
  },
});

/** Counts the records that are neither scored nor failed. */
const notApplicableIn = ({ notApplicable = [] }: { notApplicable?: object[] | undefined }) =>
  notApplicable.length === 0
    ? ''
    : ` The metric does not apply to ${countOf(notApplicable.length, 'record')}.`;

export const saveMetric = defineTool({
  name: 'save_metric',
  title: 'Save a metric',
  description:
    'Stores a change of a metric as its next version (metricId and change), or makes a metric (projectId and metric). Scores that are there stay; start_rescore scores by the new version. Try a change with preview_metric first.',
  effect: 'add',
  input: z.object({
    metricId: z.string().min(1).max(256).optional().describe('The metric that changes.'),
    change: change.optional(),
    projectId: z.string().min(1).max(256).optional().describe('The project of a new metric.'),
    metric: z
      .record(z.string(), z.unknown())
      .optional()
      .describe(
        'A new metric, as in POST /projects/…/metrics: name, evalType (ai, human, heuristic), outputType (boolean, int, float), min, max and lowerIsBetter where the scale is not 0 to 1 (float) or 1 to 5 (int), and for ai promptTemplate, guidelines and evalModelName.',
      ),
  }),
  output: z.object({ summary, metricId: z.string(), link, warnings: items }),
  async run({ metricId, change, projectId, metric }, { api, links }) {
    const isChange = metricId !== undefined && change !== undefined;
    const isNew = projectId !== undefined && metric !== undefined;
    if (isChange === isNew)
      throw new ToolFailure('Give metricId and change, or projectId and metric.');
    if (isNew) {
      const made = await api.request('POST', '/projects/:projectId/metrics', {
        params: { projectId },
        body: metric as MetricBody,
      });
      return answerOf('is made', made, links.of(projectId, 'metrics', made.id));
    }
    const { evalType, outputType } = await api.request('GET', '/metrics/:metricId', {
      params: { metricId: metricId! },
    });
    const saved = await api.request('PATCH', '/metrics/:metricId', {
      params: { metricId: metricId! },
      body: { evalType, outputType, ...change } as MetricChange,
    });
    return answerOf('has a new version', saved, undefined);
  },
});

/** The service says what is wrong with a metric, in sentences for the agent. */
type MetricBody = BodyOf<'POST', '/projects/:projectId/metrics'>;
type MetricChange = BodyOf<'PATCH', '/metrics/:metricId'>;
type SavedMetric = Pick<ReplyOf<'PATCH', '/metrics/:metricId'>, 'id' | 'name' | 'warnings'>;

const answerOf = (
  verb: string,
  { id, name, warnings = [] }: SavedMetric,
  link: string | undefined,
) => ({
  summary: `The metric ${JSON.stringify(label(name))} ${verb}.`,
  metricId: id,
  link,
  warnings: warnings
    .slice(0, 10)
    .map(({ code, message }) => ({ code, message: label(message, 300) })),
});
