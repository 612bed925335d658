import { getRouteApi } from '@tanstack/react-router';
import { useKnown } from '../../api/known.ts';
import type { Names } from '../../api/names.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { labelTexts } from '../../text/names.ts';
import { type RunListState, runLanguage } from './run-language.ts';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** Which runs are listed: by name, label, status, testset, version and member. */
export function RunFilters({ names }: { names: Names }) {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const runs = useKnown('/projects/:projectId/runs', { projectId }).flatMap(({ data }) => data);
  const labels = [...new Set(runs.flatMap((run) => labelTexts(run)))];
  return (
    <FilterBar<RunListState>
      label="Filter runs"
      placeholder="Filter or find by name: status:completed label:commit:4f7c2aa nightly"
      language={runLanguage({ names, labels })}
      state={search}
      change={(change, { isReplacing }) =>
        void navigate({ search: (before) => ({ ...before, ...change }), replace: isReplacing })
      }
      isTextFollowed
    />
  );
}
