import { getRouteApi } from '@tanstack/react-router';
import { useKnown } from '../../api/known.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { ViewsMenu } from '../../parts/views/views-menu.tsx';
import { type TraceListState, traceLanguage } from './trace-language.ts';
import type { TraceItem } from './use-new-traces.ts';

const route = getRouteApi('/frame/projects/$projectId/traces');

/** Which traces are listed: by time, name, service, model, session, user, tag, errors, duration, cost, text. */
export function TraceFilters() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const traces = useKnown('/projects/:projectId/traces', { projectId }).flatMap(({ data }) => data);
  const valuesOf = (of: (trace: TraceItem) => (string | null)[]) => [
    ...new Set(traces.flatMap(of).filter((value) => value !== null)),
  ];
  const language = traceLanguage(search, {
    names: valuesOf(({ name }) => [name]),
    services: valuesOf(({ serviceName }) => [serviceName]),
    models: valuesOf(({ models }) => models),
    sessions: valuesOf(({ sessionId }) => [sessionId]),
    users: valuesOf(({ userId }) => [userId]),
    tags: valuesOf(({ tags }) => tags),
  });
  return (
    <FilterBar<TraceListState>
      label="Filter traces"
      placeholder="Filter or search: error:true service:support-bot duration>=2s refund"
      language={language}
      state={search}
      change={(change, { isReplacing }) =>
        void navigate({ search: (before) => ({ ...before, ...change }), replace: isReplacing })
      }
      isTextFollowed={false}
    >
      <ViewsMenu projectId={projectId} list="traces" grid="traces" />
    </FilterBar>
  );
}
