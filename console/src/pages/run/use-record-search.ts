import type { ItemOf } from '@assay/client/operations';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { List } from '../../api/list.ts';
import { request } from '../../api/request.ts';

type RecordItem = ItemOf<'/runs/:runId/records'>;

const pageItems = 50;

/** How far a search has come, in records. */
export interface SearchProgress {
  searched: number;
  total: number;
}

/**
 * The records of a run that have a text, page by page. A page ends after two seconds; where it found
 * nothing, the next one is asked for at once.
 */
export function useRecordSearch(
  runId: string,
  { text, preview, fields }: { text: string | undefined; preview: number; fields: string[] },
): { list: List<RecordItem>; progress: SearchProgress | undefined } {
  const search = useInfiniteQuery({
    queryKey: ['/runs/:runId/records/search', runId, text, preview, fields],
    enabled: text !== undefined,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      request('POST', '/runs/:runId/records/search', {
        params: { runId },
        query: { preview, fields },
        body: { text: text!, limit: pageItems, ...(cursor ? { cursor } : {}) },
        signal,
      }),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const pages = search.data?.pages ?? [];
  const items = pages.flatMap(({ data }) => data) as RecordItem[];
  const last = pages.at(-1);
  const goOn = () => {
    if (search.hasNextPage && !search.isFetching) void search.fetchNextPage();
  };
  useEffect(() => {
    if (last?.data.length === 0) goOn();
  });
  return {
    progress: last && { searched: last.searched, total: last.total },
    list: {
      rows: items.length,
      total: search.hasNextPage ? undefined : items.length,
      loaded: items,
      firstLoaded: 0,
      itemAt: (row) => items[row],
      isComplete: !search.hasNextPage,
      isTooLong: false,
      isLoading: search.isLoading || (items.length === 0 && search.isFetching),
      isStale: false,
      error: search.error,
      retry: () => void search.refetch(),
      read: async (from, to) => items.slice(from, to + 1),
      readToEnd: async () => items.length,
      show: (_first, lastRow) => {
        if (lastRow >= items.length - pageItems / 2) goOn();
      },
    },
  };
}
