import type { BodyOf, ReplyOf } from '@assay/client/operations';
import { useMutation } from '@tanstack/react-query';
import { useRef } from 'react';
import { refresh } from '../../api/query.ts';
import { request } from '../../api/request.ts';

/** The choice of a metric that is made for the draw. */
export const createdMetric = 'new';

export interface LabelWish {
  /** By which people score: a metric of the project, or one that is made like the judge. */
  humanMetricId: string;
  testcases: number;
  userIds: string[];
}

type NewMetric = BodyOf<'POST', '/projects/:projectId/metrics'>;

interface AskedRuns {
  projectId: string;
  baselineRunId: string;
  candidateRunId: string;
  metricId: string;
}

/**
 * Draws testcases for people: makes the metric by which they score, unless there is one, adds it to
 * both runs, and draws. A step that was done is not done again where a later one is repeated.
 */
export function useAskPeople({ projectId, ...drawn }: AskedRuns, metric: NewMetric | undefined) {
  const created = useRef<string>(undefined);
  const key = useRef<{ wish: string; key: string }>(undefined);

  async function metricIdOf({ humanMetricId }: LabelWish): Promise<string> {
    if (humanMetricId !== createdMetric) return humanMetricId;
    created.current ??= (
      await request('POST', '/projects/:projectId/metrics', {
        params: { projectId },
        body: metric!,
      })
    ).id;
    return created.current;
  }

  /** A run that has the metric keeps its version of it, so that labels stay of one. */
  async function join(runId: string, metricId: string): Promise<void> {
    const run = await request('GET', '/runs/:runId', { params: { runId } });
    if (run.metricIds.includes(metricId)) return;
    await request('POST', '/runs/:runId/rescore', {
      params: { runId },
      body: { metricIds: [metricId], recordIds: [] },
    });
  }

  return useMutation({
    mutationFn: async (
      wish: LabelWish,
    ): Promise<{ draw: ReplyOf<'POST', '/label-draws'>; humanMetricId: string }> => {
      const humanMetricId = await metricIdOf(wish);
      for (const runId of [drawn.baselineRunId, drawn.candidateRunId])
        await join(runId, humanMetricId);
      const text = JSON.stringify(wish);
      if (key.current?.wish !== text) key.current = { wish: text, key: crypto.randomUUID() };
      const draw = await request('POST', '/label-draws', {
        headers: { 'idempotency-key': key.current.key },
        body: {
          ...drawn,
          humanMetricId,
          testcases: wish.testcases,
          assigneeUserIds: wish.userIds,
        },
      });
      return { draw, humanMetricId };
    },
    onSettled: () =>
      refresh([
        '/label-draws',
        '/runs/:runId',
        '/runs/:runId/records',
        '/projects/:projectId/runs',
        '/projects/:projectId/metrics',
        '/review-queue/progress',
      ]),
  });
}
