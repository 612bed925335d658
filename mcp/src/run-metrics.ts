import type { Client } from '@assay/client/client';
import { unknownName } from '@assay/client/named';
import type { ReplyOf } from '@assay/client/operations';
import { partOfRun } from '@assay/client/part-of-run';
import { ToolFailure } from './answer.ts';
import { label } from './marks.ts';

type Run = ReplyOf<'GET', '/runs/:runId'>;

type RunSummary = ReplyOf<'GET', '/runs/:runId/summary'>;

/** A metric of a run, with the figures of its summary. */
export type RunMetric = RunSummary['metrics'][number];

export const readRun = (api: Client, runId: string): Promise<Run> =>
  api.request('GET', '/runs/:runId', { params: { runId } });

const partCharactersMax = 200;

/** The part of its testset that a run is over, with users' texts made harmless. */
export function partOf(run: Run): string | undefined {
  const part = partOfRun(run);
  return part === undefined ? undefined : label(part, partCharactersMax);
}

export const readRunSummary = (api: Client, runId: string): Promise<RunSummary> =>
  api.request('GET', '/runs/:runId/summary', { params: { runId } });

const readRunMetrics = async (api: Client, runId: string): Promise<RunMetric[]> =>
  (await readRunSummary(api, runId)).metrics;

/**
 * The metric of a run by its id, the id of its version, or its name; its newest version where the
 * run has several. The only one where none is named.
 * @throws ToolFailure that lists the metrics of the run.
 */
export async function findRunMetric(
  api: Client,
  runId: string,
  wanted: string | undefined,
): Promise<RunMetric> {
  const metrics = await readRunMetrics(api, runId);
  const matching = metrics.filter(
    ({ metricId, metricVersionId, name }) =>
      wanted === undefined || [metricId, metricVersionId, name].includes(wanted),
  );
  const ids = new Set(matching.map(({ metricId }) => metricId));
  if (ids.size === 1) return matching.at(-1)!;
  const there = metrics
    .slice(0, 20)
    .map(({ metricId, name }) => `${JSON.stringify(name.slice(0, 100))} (${metricId})`)
    .join(', ');
  if (metrics.length === 0)
    throw new ToolFailure('The run has no metrics: start_rescore adds one.');
  if (ids.size === 0)
    throw unknownName(
      { kind: 'metric', wanted: wanted! },
      metrics.map(({ name }) => name.slice(0, 100)),
    );
  throw new ToolFailure(`Name one metric by its id: the run has ${there}.`);
}
