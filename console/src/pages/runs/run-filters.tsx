import { instantOf } from '@assay/client/written-instant';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useKnown } from '../../api/known.ts';
import type { Names } from '../../api/names.ts';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ViewsMenu } from '../../parts/views/views-menu.tsx';
import { labelTexts } from '../../text/names.ts';
import { lately } from './made-kinds.ts';
import type { MeanMetric } from './mean-kinds.ts';
import { type RunListState, runLanguage } from './run-language.ts';

import { useWrittenNames } from './use-written-names.ts';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** Which runs are listed: by name, time, mean, label, status, testset, version and member. */
export function RunFilters({ names, metrics }: { names: Names; metrics: MeanMetric[] }) {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const runs = useKnown('/projects/:projectId/runs', { projectId }).flatMap(({ data }) => data);
  const [draft, setDraft] = useState('');
  const written = useWrittenNames(projectId, draft);
  const labels = [...new Set(runs.flatMap((run) => labelTexts(run)))];
  const show = (change: Partial<RunListState>) =>
    void navigate({ search: (before) => ({ ...before, ...change }) });
  return (
    <FilterBar<RunListState>
      label="Filter runs"
      placeholder="Filter or find by name: made:7d status:completed label:commit:4f7c2aa nightly"
      language={runLanguage({
        names,
        written,
        nameOf: names.testset,
        metrics,
        labels,
        state: search,
      })}
      areNamesRead={names.areRead && written.areRead}
      onWrite={setDraft}
      state={search}
      change={(change, { isReplacing }) =>
        void navigate({ search: (before) => ({ ...before, ...change }), replace: isReplacing })
      }
      isTextFollowed
    >
      <Menu
        label="Made"
        items={[
          ...lately.map(({ value, name }) => ({
            text: name,
            run: () => show({ from: instantOf(value), to: undefined }),
          })),
          { text: 'at any time', run: () => show({ from: undefined, to: undefined }) },
        ]}
      />
      <ViewsMenu projectId={projectId} list="runs" grid="runs" />
    </FilterBar>
  );
}
