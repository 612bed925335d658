import { getRouteApi } from '@tanstack/react-router';
import type { ColumnSort } from '../../parts/grid/columns.ts';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** A field of runs, or the mean of a metric. */
export type SortField =
  | 'createdAt'
  | 'name'
  | { metricId: string; lowerIsBetter?: boolean | undefined };

/** Without a choice runs are sorted like this, and the URL says nothing of it. */
const usual = { createdAt: 'desc', name: 'asc', mean: 'desc' } as const;

/** The best runs come first where a column of a metric is sorted for the first time. */
const firstOf = (field: SortField): 'asc' | 'desc' =>
  typeof field === 'object' ? (field.lowerIsBetter ? 'asc' : 'desc') : usual[field];

/** How the runs are sorted by a column, as the URL has it. */
export function useRunSort(): (field: SortField) => ColumnSort {
  const { sort = 'createdAt', order = usual[sort], metricId } = route.useSearch();
  const navigate = route.useNavigate();
  return (field) => {
    const isMean = typeof field === 'object';
    const by = isMean ? 'mean' : field;
    const isSorted = sort === by && (!isMean || field.metricId === metricId);
    const direction = isSorted ? order : undefined;
    const next = direction === undefined ? firstOf(field) : direction === 'asc' ? 'desc' : 'asc';
    return {
      direction,
      toggle: () =>
        void navigate({
          search: ({ min, max, ...before }) => {
            // Bounds are of the metric that they were written for.
            const areKept = !isMean || before.metricId === field.metricId;
            const isFiltered = areKept && (min !== undefined || max !== undefined);
            return {
              ...before,
              ...(areKept ? { min, max } : {}),
              metricId: isMean ? field.metricId : isFiltered ? before.metricId : undefined,
              sort: by === 'createdAt' ? undefined : by,
              order: next === usual[by] ? undefined : next,
            };
          },
        }),
    };
  };
}
