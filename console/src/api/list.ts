import type { ItemOf, ListPath, ParamsOf, QueryOf } from '@assay/client/operations';
import { keepPreviousData, type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { queryClient } from './query.ts';
import { request } from './request.ts';

/** The items of a page that is asked for. A page of large items may have fewer. */
const pageItems = 100;
/** The last pages that were in view stay in memory for this long. */
const keptMs = 60_000;
/** The next page is fetched when this share of what is loaded has been in view. */
const aheadShare = 0.7;
/** Rows that are read page by page on the way to the last one. */
const readToEndMax = 20_000;
/** More rows than a browser can scroll through. */
const rowsMax = 500_000;

interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
  total?: number;
}

/** A page that was seen: how to ask for it again, and how many rows it has. */
interface KnownPage {
  cursor: string | undefined;
  rows: number;
  next: string | null;
  /** How many rows there are in all: the first page may tell it. */
  total?: number | undefined;
}

export interface List<Item> {
  /** How many rows are known so far. */
  rows: number;
  /** How many there are in all, where the service says so. */
  total: number | undefined;
  /** The rows that are in memory now, and the place of the first of them. */
  loaded: Item[];
  firstLoaded: number;
  /** Returns a row, or undefined while its page is being read. */
  itemAt: (row: number) => Item | undefined;
  /** No more rows follow. */
  isComplete: boolean;
  /** There are more rows than can be shown. */
  isTooLong: boolean;
  /** No row has come yet: a filtered list may begin with empty pages. */
  isLoading: boolean;
  /** The rows shown belong to the filters that were chosen before. */
  isStale: boolean;
  error: Error | null;
  retry: () => void;
  /** Returns the known rows from one to another, of which some may have to be read again. */
  read: (from: number, to: number) => Promise<Item[]>;
  /** Reads on to the last row, past as many as that is sensible for; returns how many there are then. */
  readToEnd: () => Promise<number>;
  /** Says which rows are in view, so that their pages are read. */
  show: (first: number, last: number) => void;
}

interface ListOptions<Path extends ListPath> {
  params?: ParamsOf<Path>;
  query?: QueryOf<'GET', Path>;
}

/**
 * Reads a list page by page while it is scrolled. Pages out of view are forgotten but for their
 * cursors, by which they are read again.
 */
export function useList<Path extends ListPath>(
  path: Path,
  { params, query }: ListOptions<Path> = {},
): List<ItemOf<Path>> {
  const key = JSON.stringify([path, params, query]);
  const [state, setState] = useState({ key, pages: [] as KnownPage[], first: 0, last: 0 });
  const { pages, first, last } =
    state.key === key ? state : { pages: [] as KnownPage[], first: 0, last: 0 };
  const starts = startsOf(pages);
  const rows = Math.min(starts.at(-1)!, rowsMax);
  const hasMore = pages.length === 0 || (pages.at(-1)!.next !== null && rows < rowsMax);
  const wanted = pagesInView(starts, { first, last, hasMore });

  const readingOf = (page: number) =>
    readingAt(page === 0 ? undefined : (pages[page]?.cursor ?? pages[page - 1]!.next!));
  const readingAt = (cursor: string | undefined) => {
    const asked = { ...(query as object), limit: pageItems, ...(cursor ? { cursor } : {}) };
    return {
      queryKey: [path, params ?? {}, asked],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request('GET', path as never, { params, query: asked, signal } as never) as Promise<
          Page<ItemOf<Path>>
        >,
      gcTime: keptMs,
    };
  };
  // A total is read again with the rows in view, wherever they are.
  const isCounted = pages[0]?.total !== undefined && !wanted.includes(0);
  const results = useQueries({
    queries: [...wanted, ...(isCounted ? [0] : [])].map((page) => ({
      ...readingOf(page),
      ...(page === 0 ? { placeholderData: keepPreviousData } : {}),
    })),
  });

  useEffect(() => {
    const seen = pagesAfter(pages, wanted, results);
    if (seen !== pages) setState({ key, pages: seen, first, last });
  });

  const loaded = new Map(wanted.map((page, index) => [page, results[index]!]));
  const head = loaded.get(0);
  const hasFailed = results.some(({ error }) => error !== null);
  const isFirst = pages.length === 0 && head?.data;
  const shown = isFirst ? head.data.data.length : rows;
  const mayFollow = isFirst ? head.data.nextCursor !== null : hasMore;
  return {
    rows: shown,
    total: (head ?? (isCounted ? results.at(-1) : undefined))?.data?.total,
    loaded: wanted.flatMap((page) => loaded.get(page)?.data?.data ?? []),
    firstLoaded: starts[wanted[0] ?? 0] ?? 0,
    itemAt: (row) => {
      const page = pages.length === 0 ? 0 : starts.findIndex((start) => start > row) - 1;
      return loaded.get(page)?.data?.data[row - starts[page]!];
    },
    isComplete: !hasMore,
    isTooLong: rows >= rowsMax,
    isLoading: (head?.isPending ?? false) || (shown === 0 && mayFollow && !hasFailed),
    isStale: head?.isPlaceholderData ?? false,
    error: results.find(({ error }) => error !== null)?.error ?? null,
    retry: () => {
      for (const result of results) if (result.error) void result.refetch();
    },
    read: async (from, to) => {
      const bounds = isFirst ? [0, shown] : starts;
      const items: ItemOf<Path>[] = [];
      for (let page = 0; page < bounds.length - 1; page += 1) {
        const start = bounds[page]!;
        if (start > to || bounds[page + 1]! <= from) continue;
        const { data } = await queryClient.fetchQuery({ ...readingOf(page), staleTime: keptMs });
        items.push(...data.slice(Math.max(0, from - start), to - start + 1));
      }
      return items;
    },
    readToEnd: async () => {
      let known = pages;
      let count = rows;
      for (;;) {
        const cursor = known.at(-1)?.next ?? undefined;
        if ((known.length > 0 && cursor === undefined) || count >= readToEndMax) break;
        const { data, nextCursor: next } = await queryClient.fetchQuery({
          ...readingAt(cursor),
          staleTime: keptMs,
        });
        known = [...known, { cursor, rows: data.length, next }];
        count += data.length;
      }
      setState((before) => (before.key === key ? { ...before, pages: known } : before));
      return count;
    },
    show: (newFirst, newLast) => {
      if (newFirst !== first || newLast !== last)
        setState({ key, pages, first: newFirst, last: newLast });
    },
  };
}

/** The row at which each page begins, and the row after the last. */
function startsOf(pages: KnownPage[]): number[] {
  const starts = [0];
  for (const { rows } of pages) starts.push(starts.at(-1)! + rows);
  return starts;
}

/** The pages that hold the rows in view, and the next one where the view comes near the end. */
function pagesInView(
  starts: number[],
  { first, last, hasMore }: { first: number; last: number; hasMore: boolean },
): number[] {
  const known = starts.length - 1;
  const wanted = new Set<number>();
  for (let page = 0; page < known; page += 1)
    if (starts[page]! <= last && starts[page + 1]! > first) wanted.add(page);
  // An empty list is read again like any other, by its first page.
  if (starts[known] === 0) wanted.add(0);
  if (known > 0 && hasMore && last >= starts[known]! * aheadShare) wanted.add(known);
  return [...wanted];
}

/**
 * The known pages, with those that have arrived. When a page is read again and ends elsewhere, those after
 * it are forgotten: their cursors would leave out rows that have moved.
 */
function pagesAfter(
  pages: KnownPage[],
  wanted: number[],
  results: Pick<UseQueryResult<Page<unknown>>, 'data' | 'isPlaceholderData'>[],
): KnownPage[] {
  let known = pages;
  wanted.forEach((page, index) => {
    const { data, isPlaceholderData } = results[index]!;
    if (!data || isPlaceholderData || page > known.length) return;
    const before = known[page];
    const { nextCursor: next, total } = data;
    const isSame = before?.rows === data.data.length && before.next === next;
    if (isSame && before.total === total) return;
    const cursor = page === 0 ? undefined : known[page - 1]!.next!;
    const read = { cursor, rows: data.data.length, next, total };
    known = isSame ? known.with(page, read) : [...known.slice(0, page), read];
  });
  return known;
}
