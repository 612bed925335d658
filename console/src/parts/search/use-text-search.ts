import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { List } from '../../api/list.ts';

/** Items of a page that is asked for. */
const pageItems = 50;

interface FoundPage<Item> {
  data: Item[];
  nextCursor: string | null;
}

/** Whether a search is under way; it goes on where it was stopped. */
export interface SearchState {
  isSearching: boolean;
  isStopped: boolean;
  stop: () => void;
  goOn: () => void;
}

/**
 * What has a text, page by page. A page ends after two seconds; where it found nothing, the next one
 * is asked for at once, until somebody stops it. `last` is the last page that came.
 */
export function useTextSearch<Item, Progress>({
  text,
  queryKey,
  readPage,
}: {
  text: string;
  /** Says what is searched, the text included. */
  queryKey: unknown[];
  readPage: (
    page: { text: string; limit: number; cursor?: string },
    signal: AbortSignal,
  ) => Promise<FoundPage<Item> & Progress>;
}): { list: List<Item>; last: (FoundPage<Item> & Progress) | undefined; state: SearchState } {
  const queryClient = useQueryClient();
  const [stoppedText, setStoppedText] = useState<string>();
  const isStopped = stoppedText === text;
  const search = useInfiniteQuery({
    queryKey,
    // A search of a million records is not made again because somebody comes back to the window.
    staleTime: Number.POSITIVE_INFINITY,
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor, signal }) =>
      readPage({ text, limit: pageItems, ...(cursor ? { cursor } : {}) }, signal),
    getNextPageParam: ({ nextCursor }) => nextCursor ?? undefined,
  });
  const pages = search.data?.pages ?? [];
  const items = pages.flatMap(({ data }) => data);
  const last = pages.at(-1);
  const readOn = () => {
    if (search.hasNextPage && !search.isFetching && !isStopped) void search.fetchNextPage();
  };
  useEffect(() => {
    if (last?.data.length === 0) readOn();
  });
  return {
    last,
    state: {
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
