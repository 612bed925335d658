import { useEffect, useRef, useState } from 'react';
import { refresh } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { countOf, formatCount } from '../../text/format.ts';
import { assignTo, readUnscored, readWaiting } from './assign.ts';
import { type DrawSize, draw } from './draw.ts';

/** A simple metric of people, as it is made while a review is set up. */
export interface NewHumanMetric {
  name: string;
  guidelines: string;
  outputType: 'boolean' | 'int';
  annotators: number;
}

export interface ReviewWish {
  runId: string;
  /** A metric of the project, a new one, or all human metrics of the run. */
  metric: { id: string } | { created: NewHumanMetric } | 'all';
  /** These records; without them, some are drawn. */
  recordIds: string[] | undefined;
  size: DrawSize;
  userIds: string[];
  perRecord: number;
}

/** The outcome of setting a review up. */
export interface ReviewStart {
  assigned: number;
  metricId: string | undefined;
}

interface StartState {
  /** How far it is. */
  sentence?: string;
  error?: Error;
  started?: ReviewStart;
}

/** Records that are named in one request. */
const recordsAtOnce = 10_000;

/** Sets a review up step by step, and says how far it is; closing the dialog ends it. */
export function useReviewStart(projectId: string) {
  const [state, setState] = useState<StartState>({});
  const leaving = useRef<AbortController>(undefined);
  /** The new metric, so that it is made once where a later step fails and is repeated. */
  const created = useRef<{ body: string; id: string }>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);

  async function metricIdOf(wish: ReviewWish, signal: AbortSignal): Promise<string | undefined> {
    if (wish.metric === 'all') return undefined;
    if ('id' in wish.metric) return wish.metric.id;
    const body = { evalType: 'human' as const, ...wish.metric.created };
    const text = JSON.stringify(body);
    if (created.current?.body !== text) {
      const { id } = await request('POST', '/projects/:projectId/metrics', {
        params: { projectId },
        body,
        signal,
      });
      created.current = { body: text, id };
    }
    return created.current.id;
  }

  /** The records to be reviewed; the metric joins the run for those that do not wait for it yet. */
  async function takeRecords(
    { runId, recordIds, size }: ReviewWish,
    metricId: string | undefined,
    signal: AbortSignal,
  ): Promise<string[]> {
    const told = (count: number) =>
      setState({ sentence: `Reading the records: ${countOf(count, 'record')} …` });
    if (!metricId)
      return recordIds ?? draw(await readWaiting({ runId, metricId }, { told, signal }), size);
    if (!recordIds) {
      const waiting = await readWaiting({ runId, metricId }, { told, signal });
      if (waiting.length > 0) return draw(waiting, size);
    }
    const taken =
      recordIds ?? draw(await readUnscored({ runId, metricId }, { told, signal }), size);
    for (let from = 0; from < taken.length; from += recordsAtOnce)
      await request('POST', '/runs/:runId/rescore', {
        params: { runId },
        body: { metricIds: [metricId], recordIds: taken.slice(from, from + recordsAtOnce) },
        signal,
      });
    return taken;
  }

  async function work(wish: ReviewWish, signal: AbortSignal): Promise<void> {
    const metricId = await metricIdOf(wish, signal);
    const taken = await takeRecords(wish, metricId, signal);
    await assignTo(taken, {
      userIds: wish.userIds,
      perRecord: wish.perRecord,
      told: (done, all) =>
        setState({ sentence: `Assigning: ${formatCount(done)} of ${formatCount(all)} …` }),
      signal,
    });
    setState({ started: { assigned: taken.length, metricId } });
  }

  const start = (wish: ReviewWish) => {
    const controller = new AbortController();
    leaving.current = controller;
    setState({ sentence: 'Assigning …' });
    work(wish, controller.signal)
      .catch((error: Error) => {
        if (!controller.signal.aborted) setState({ error });
      })
      .finally(() =>
        refresh([
          '/runs/:runId',
          '/runs/:runId/summary',
          '/runs/:runId/records',
          '/projects/:projectId/runs',
          '/projects/:projectId/metrics',
          '/review-queue/progress',
        ]),
      );
  };
  return { state, start };
}
