import type { ItemOf } from '@assay/client/operations';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { List } from '../../api/list.ts';
import { request } from '../../api/request.ts';

type RecordItem = ItemOf<'/runs/:runId/records'>;

const pageItems = 50;

/** How far a search has come, in records; it goes on where it was stopped. */
export interface SearchProgress {
  searched: number;
  /** Undefined until the first page is there. */
  total: number | undefined;
  isSearching: boolean;
  isStopped: boolean;
  stop: () => void;
  goOn: () => void;
}

/**
 * The records of a run that have a text, page by page. A page ends after two seconds; where it found
 * nothing, the next one is asked for at once, until somebody stops it.
 */
export function useRecordSearch(
  runId: string,
  { text, preview, fields }: { text: string; preview: number; fields: string[] },
): { list: List<RecordItem>; progress: SearchProgress } {
  const queryClient = useQueryClient();
  const [stoppedText, setStoppedText] = useState<string>();
  const isStopped = stoppedText === text;
  const queryKey = ['/runs/:runId/records/search', runId, text, preview, fields];
  const search = useInfiniteQuery({
    queryKey,
    // A search of a million records is not made again because somebody comes back to the window.
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      request('POST', '/runs/:runId/records/search', {
        params: { runId },
        query: { preview, fields },
        body: { text, limit: pageItems, ...(cursor ? { cursor } : {}) },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const pages = search.data?.pages ?? [];
  const items = pages.flatMap(({ data }) => data) as RecordItem[];
  const last = pages.at(-1);
  const readOn = () => {
    if (search.hasNextPage && !search.isFetching && !isStopped) void search.fetchNextPage();
  };
  useEffect(() => {
    if (last?.data.length === 0) readOn();
  });
  return {
    progress: {
      searched: last?.searched ?? 0,
      total: last?.total,
      isSearching: search.isFetching,
      isStopped: isStopped && (last === undefined || search.hasNextPage),
      stop: () => {
        setStoppedText(text);
        void queryClient.cancelQueries({ queryKey, exact: true });
      },
      goOn: () => {
        setStoppedText(undefined);
        void search.fetchNextPage();
      },
    },
    list: {
      rows: items.length,
      total: search.hasNextPage ? undefined : items.length,
      loaded: items,
      firstLoaded: 0,
      itemAt: (row) => items[row],
      isComplete: !search.hasNextPage,
      isTooLong: false,
      isLoading: items.length === 0 && search.isFetching,
      isStale: false,
      error: search.error,
      retry: () => void search.refetch(),
      read: async (from, to) => items.slice(from, to + 1),
      readToEnd: async () => items.length,
      show: (_first, lastRow) => {
        if (lastRow >= items.length - pageItems / 2) readOn();
      },
    },
  };
}
