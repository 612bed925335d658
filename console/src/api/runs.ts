import type { ReplyOf } from '@assay/client/operations';
import { useQueries } from '@tanstack/react-query';
import { reading } from './query.ts';

/** Runs that are under way are read again after this time, in ms. */
const liveMs = 5000;

/** Runs by their ids, as far as they have been read and are there. */
export const useRuns = (runIds: string[]): ReplyOf<'GET', '/runs/:runId'>[] =>
  useQueries({
    queries: runIds.map((runId) => ({
      ...reading('/runs/:runId', { params: { runId } }),
      refetchInterval: ({ state }: { state: { data?: { status: string } | undefined } }) =>
        state.data && state.data.status !== 'completed' ? liveMs : (false as const),
    })),
  }).flatMap(({ data }) => data ?? []);
