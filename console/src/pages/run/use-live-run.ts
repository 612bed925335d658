import type { ReplyOf } from '@assay/client/operations';
import { useRef, useState } from 'react';
import { useEvents } from '../../api/events.ts';
import { queryClient, reading, refresh } from '../../api/query.ts';

export type RunReply = ReplyOf<'GET', '/runs/:runId'>;
type Account = RunReply['scoring'] &
  Pick<RunReply, 'status' | 'numRecords' | 'numExpectedRecords' | 'costUsd' | 'cachedAnswers'>;

export interface LiveRun {
  isConnected: boolean;
  /** Scores that were made in a second, over the last half minute; undefined until it is known. */
  scoresPerSecond: number | undefined;
  /** How many records came since the list of them was read. */
  newRecords: number;
  /** Reads the list again. */
  showNew: () => void;
}

/** How often the results of a run under way are read again, in ms. */
const summaryEveryMs = 5000;
/** Over which time the speed is measured, in ms. */
const speedMs = 30_000;

/** Follows a run that is under way: its account as it changes, its results now and then. */
export function useLiveRun(run: RunReply | undefined): LiveRun {
  const [shown, setShown] = useState(run?.numRecords);
  const seen = useRef<{ at: number; done: number }[]>([]);
  const readAt = useRef(0);
  const later = useRef<ReturnType<typeof setTimeout>>(undefined);
  const runId = run?.id ?? '';
  if (shown === undefined && run) setShown(run.numRecords);

  const take = (data: unknown) => {
    const { status, numRecords, numExpectedRecords, costUsd, cachedAnswers, ...scoring } =
      data as Account;
    const progress = { status, numRecords, numExpectedRecords, costUsd, cachedAnswers, scoring };
    const { queryKey } = reading('/runs/:runId', { params: { runId } });
    queryClient.setQueryData(queryKey, (before) => before && { ...before, ...progress });
    const now = Date.now();
    seen.current = [
      ...seen.current.filter(({ at }) => now - at < speedMs),
      { at: now, done: scoring.scored + scoring.failed },
    ];
    // Also after the last change of a run that waits for people: nothing follows it.
    later.current ??= setTimeout(readSummary, Math.max(0, readAt.current + summaryEveryMs - now));
  };
  const readSummary = () => {
    later.current = undefined;
    readAt.current = Date.now();
    void refresh(['/runs/:runId/summary']);
  };
  const isConnected = useEvents('/runs/:runId/events', {
    params: { runId },
    isOn: run !== undefined && run.status !== 'completed',
    on: {
      progress: take,
      completed: (data) => {
        take(data);
        // All is read again here.
        clearTimeout(later.current);
        later.current = undefined;
        void refresh(['/runs/:runId', '/runs/:runId/summary', '/runs/:runId/failures']);
      },
    },
  });

  const [oldest] = seen.current;
  const latest = seen.current.at(-1);
  const seconds = oldest && latest ? (latest.at - oldest.at) / 1000 : 0;
  return {
    isConnected,
    scoresPerSecond: seconds >= 2 ? (latest!.done - oldest!.done) / seconds : undefined,
    newRecords: Math.max(0, (run?.numRecords ?? 0) - (shown ?? 0)),
    showNew: () => {
      setShown(run?.numRecords);
      void refresh(['/runs/:runId/records']);
    },
  };
}
