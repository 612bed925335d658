import { getRouteApi } from '@tanstack/react-router';
import type { ColumnSort } from '../../parts/grid/columns.ts';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** Without a choice runs are sorted like this, and the URL says nothing of it. */
const usual = { createdAt: 'desc', name: 'asc' } as const;

/** How the runs are sorted by a column, as the URL has it. */
export function useRunSort(): (field: 'createdAt' | 'name') => ColumnSort {
  const { sort = 'createdAt', order = usual[sort] } = route.useSearch();
  const navigate = route.useNavigate();
  return (field) => {
    const direction = sort === field ? order : undefined;
    const next = direction === undefined ? usual[field] : direction === 'asc' ? 'desc' : 'asc';
    return {
      direction,
      toggle: () =>
        void navigate({
          search: (before) => ({
            ...before,
            sort: field === 'createdAt' ? undefined : field,
            order: next === usual[field] ? undefined : next,
          }),
        }),
    };
  };
}
