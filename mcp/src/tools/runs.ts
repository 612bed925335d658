import type { Client } from '@assay/client/client';
import { readEvents } from '@assay/client/events';
import type { ItemOf, ReplyOf } from '@assay/client/operations';
import { waitingSentences } from '@assay/client/waiting-for';
import { statedScale } from '@assay/contracts/scale';
import { z } from 'zod';
import { fit, ToolFailure } from '../answer.ts';
import { label } from '../marks.ts';
import { partOf, readRun, readRunSummary } from '../run-metrics.ts';
import {
  defineTool,
  items,
  link,
  namedRun,
  notice,
  path,
  summary,
  type ToolContext,
} from '../tool.ts';
import { markedWaitingFor } from '../waiting-for.ts';
import { markedWarnings } from '../warnings.ts';

/** Shorter than the patience of clients and of the gateway. */
const waitSecondsMax = 50;

export const runStatus = defineTool({
  name: 'run_status',
  title: 'Status of a run',
  description:
    "Tells a run's progress, its metrics with intervals, and what failed to be scored. With waitSeconds it waits until the run is completed, and tells how far it is meanwhile.",
  effect: 'read',
  input: z.object({
    runId: namedRun,
    waitSeconds: z.int().min(0).max(waitSecondsMax).optional(),
  }),
  output: z.object({
    summary,
    notice,
    runId: z.string(),
    link,
    status: z.string(),
    scoring: z.looseObject({}),
    waitingFor: items
      .optional()
      .describe('The models whose providers are away, each with its next try.'),
    metrics: items,
    errors: z.looseObject({}).describe('How often the system failed.'),
    warnings: items,
    failures: items,
  }),
  async run({ runId, waitSeconds = 0 }, context) {
    const { api, links, marks } = context;
    if (waitSeconds > 0 && (await readRun(api, runId)).status !== 'completed')
      await follow(runId, waitSeconds, context);
    const run = await readRun(api, runId);
    const [{ metrics, errors, warnings }, failures, projectId] = await Promise.all([
      run.expiredAt === undefined ? readSummary(api, runId) : readKept(api, runId),
      api.request('GET', '/runs/:runId/failures', { params: { runId }, query: { limit: 100 } }),
      links.projectOfRun(runId),
    ]);
    const { scoring } = run;
    const part = partOf(run);
    return fit((characters) => {
      const waitingFor = markedWaitingFor(run.waitingFor, marks, Math.min(characters, 300));
      const waiting = waitingSentences({ waitingFor }, (instant) => instant.toISOString());
      return {
        summary: `The run${part === undefined ? '' : ` ${part}`} is ${run.status}: ${accountOf(scoring)}.${expiryOf(run)}${run.isPaused ? ' It is paused.' : ''}${waiting.map((sentence) => ` ${sentence}`).join('')}`,
        notice: marks.notice,
        runId,
        link: links.of(projectId, 'runs', runId),
        name: run.name === undefined ? undefined : label(run.name),
        status: run.status,
        expiredAt: run.expiredAt,
        part,
        records: run.numRecords,
        expectedRecords: run.numExpectedRecords,
        scoring,
        waitingFor,
        costUsd: run.costUsd,
        budgetUsd: run.budgetUsd,
        metrics: metrics.slice(0, 30).map((metric) => ({
          metricId: metric.metricId,
          metricVersionId: metric.metricVersionId,
          name: label(metric.name, Math.min(characters, 100)),
          ...('evalType' in metric ? { evalType: metric.evalType } : {}),
          outputType: metric.outputType,
          ...statedScale(metric),
          testcases: metric.count,
          failed: metric.failed,
          errored: metric.errored,
          invalid: metric.invalid,
          notApplicable: metric.notApplicable,
          passRate: metric.passRate,
          mean: metric.mean,
          confidenceInterval: metric.confidenceInterval,
        })),
        errors: { records: errors.records, rate: errors.mean },
        warnings: markedWarnings(warnings, marks, Math.min(characters, 300)),
        failures: byCode(failures.data).map(({ code, count, message }) => ({
          code,
          count: failures.hasMore ? `${count} of the first 100` : count,
          example: marks.data(message, Math.min(characters, 500)),
        })),
      };
    });
  },
});

async function readSummary(api: Client, runId: string) {
  const { metrics, errors, warnings = [] } = await readRunSummary(api, runId);
  return { metrics, errors, warnings };
}

/** The results of an expired run that were kept. */
async function readKept(api: Client, runId: string) {
  const { items } = await api.request('POST', '/run-summaries', { body: { runIds: [runId] } });
  const { metrics, errors } = items[0]!;
  return { metrics, errors, warnings: [] };
}

const expiryOf = ({ expiredAt }: { expiredAt?: string | undefined }): string =>
  expiredAt === undefined
    ? ''
    : ` It expired on ${expiredAt.slice(0, 10)}: its records are gone, its results were kept.`;

/** Every score that is expected is in one of the numbers. */
function accountOf(scoring: ReplyOf<'GET', '/runs/:runId'>['scoring']): string {
  const { errored = 0, invalid = 0, notApplicable = 0, stopped = 0 } = scoring;
  return [
    `${scoring.scored} of ${scoring.expected} scores are there`,
    `${scoring.failed} failed`,
    ...(errored ? [`${errored} have none because the system failed`] : []),
    ...(invalid ? [`${invalid} are invalid`] : []),
    ...(notApplicable ? [`${notApplicable} do not apply`] : []),
    ...(stopped ? [`${stopped} were not needed`] : []),
    `${scoring.pending} are pending`,
  ].join(', ');
}

function byCode(failures: Pick<ItemOf<'/runs/:runId/failures'>, 'code' | 'message'>[]) {
  const groups = new Map<string, { code: string; count: number; message: string }>();
  for (const { code, message } of failures) {
    const group = groups.get(code) ?? { code, count: 0, message };
    groups.set(code, { ...group, count: group.count + 1 });
  }
  return [...groups.values()].sort((one, other) => other.count - one.count);
}

/** Tells the progress of a run by its events, until it is completed or the time is up. */
async function follow(
  runId: string,
  seconds: number,
  { gateways, key, signal, progress }: ToolContext,
): Promise<void> {
  const timeUp = AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]);
  const { apiUrl, fetch } = gateways;
  const url = `${apiUrl}${path`/runs/${runId}/events`}`;
  try {
    for await (const { event, data } of readEvents({ url, key, fetch, signal: timeUp })) {
      const account = JSON.parse(data).scoring ?? JSON.parse(data);
      const { expected = 0, scored = 0, failed = 0 } = account;
      await progress(scored + failed, expected, `${scored + failed} of ${expected} scores`);
      if (event === 'completed') return;
    }
  } catch {
    // The time is up, or there are no events: the run is read all the same, with its status by then.
  }
}

export const startRescore = defineTool({
  name: 'start_rescore',
  title: 'Score a run again',
  description:
    'Scores a run with the current versions of metrics; metrics that are new to the run join it. Judges cost money: without budgetUsd the answer is the estimate alone, and with it scoring pauses once that is spent. Scores that people gave stay.',
  effect: 'replace',
  asksJudges: true,
  input: z.object({
    runId: namedRun,
    metricIds: z.array(z.string().min(1).max(256)).min(1).max(50).optional(),
    recordIds: z.array(z.string().min(1).max(256)).min(1).max(1000).optional(),
    budgetUsd: z
      .number()
      .min(0)
      .max(10_000)
      .optional()
      .describe('The most that the judges may cost; give it when the user agrees.'),
  }),
  output: z.object({
    summary,
    notice,
    runId: z.string(),
    link,
    done: z.boolean(),
    queued: z.number(),
    awaited: z.number(),
    estimateUsd: z.number().nullable().optional(),
    metrics: items.optional(),
  }),
  async run({ runId, metricIds, recordIds, budgetUsd }, context) {
    const { api, links } = context;
    const body = { ...(metricIds ? { metricIds } : {}), ...(recordIds ? { recordIds } : {}) };
    if (budgetUsd === undefined) return estimateRescore(context, runId, body);
    const run = await readRun(api, runId);
    if (run.isPaused)
      throw new ToolFailure('The run is paused: resume it in the console, then call this again.');
    await api.request('PATCH', '/runs/:runId', {
      params: { runId },
      body: { budgetUsd: run.costUsd + budgetUsd },
    });
    const { queued, awaited = 0 } = await api.request('POST', '/runs/:runId/rescore', {
      params: { runId },
      body,
    });
    return {
      summary: `${queued} scores are queued, ${awaited} are awaited from people or clients. run_status with waitSeconds follows them.`,
      runId,
      link: links.of(await links.projectOfRun(runId), 'runs', runId),
      done: true,
      queued,
      awaited,
      budgetUsd: run.costUsd + budgetUsd,
    };
  },
});

/** Answers the estimate of a rescoring, and starts nothing. */
async function estimateRescore(
  { api, links, marks }: ToolContext,
  runId: string,
  body: { metricIds?: string[]; recordIds?: string[] },
) {
  const { metrics, queued, awaited, costUsd } = await api.request(
    'POST',
    '/runs/:runId/rescore/estimate',
    { params: { runId }, body },
  );
  const projectId = await links.projectOfRun(runId);
  const cost =
    costUsd === null
      ? 'cost an unknown amount, since the price of a model is not known'
      : `cost about $${costUsd.toFixed(4)}`;
  return fit((characters) => ({
    summary: `Nothing was started yet. ${queued} scores would be made, ${awaited} awaited from people or clients, and the judges would ${cost}: give budgetUsd when the user agrees.`,
    notice: marks.notice,
    runId,
    link: links.of(projectId, 'runs', runId),
    done: false,
    queued,
    awaited,
    estimateUsd: costUsd,
    metrics: metrics
      .slice(0, 30)
      .map(({ name, ...metric }) => ({ ...metric, name: label(name, Math.min(characters, 100)) })),
  }));
}
