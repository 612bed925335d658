import type { ItemOf, QueryOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import type { List } from '../../api/list.ts';
import { reading, refresh } from '../../api/query.ts';
import { countNew } from './new-traces.ts';

export type TraceItem = ItemOf<'/projects/:projectId/traces'>;

/** The newest traces that are asked for: as many new ones can be told. */
export const newestMax = 50;
/** How often they are asked for while the tab is visible, in ms; sooner while the first is awaited. */
const askEveryMs = { first: 3000, later: 5000 };

/**
 * Asks for the newest traces while the list is open. New ones are counted until a person wants to see
 * them, but for the first ones of an empty list. Those of the list that have changed are shown as they are now.
 */
export function useNewTraces(
  projectId: string,
  { list, query }: { list: List<TraceItem>; query: QueryOf<'GET', '/projects/:projectId/traces'> },
) {
  const isEmpty = !list.isLoading && list.rows === 0;
  const { data } = useQuery({
    ...reading('/projects/:projectId/traces', {
      params: { projectId },
      query: { ...query, limit: newestMax },
    }),
    refetchInterval: isEmpty ? askEveryMs.first : askEveryMs.later,
    enabled: !list.isLoading && !list.error,
  });
  const key = JSON.stringify([projectId, query]);
  const listed = useRef({ key, traces: new Map<string, TraceItem>() });
  if (listed.current.key !== key) listed.current = { key, traces: new Map() };
  // Pages out of view are forgotten by the list, and are known all the same.
  if (!list.isStale)
    for (const trace of list.loaded) listed.current.traces.set(trace.traceId, trace);
  const newest = data?.data ?? [];
  const count = list.isStale ? 0 : countNew(newest, [...listed.current.traces.values()]);
  const show = () => void refresh(['/projects/:projectId/traces']);
  const isFirst = isEmpty && count > 0;
  useEffect(() => {
    if (isFirst) void refresh(['/projects/:projectId/traces']);
  }, [isFirst]);
  const latest = new Map(newest.map((trace) => [trace.traceId, trace]));
  const itemAt = (row: number) => {
    const trace = list.itemAt(row);
    return trace && (latest.get(trace.traceId) ?? trace);
  };
  return { count: isFirst ? 0 : count, show, list: { ...list, itemAt } };
}
