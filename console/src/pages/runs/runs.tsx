import type { ItemOf } from '@assay/client/operations';
import { systemMetricIds } from '@assay/client/system-metrics';
import { getRouteApi } from '@tanstack/react-router';
import { deleteIfThere } from '../../api/each.ts';
import { useList } from '../../api/list.ts';
import { useNames } from '../../api/names.ts';
import { useRunResults } from '../../api/run-results.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { DeleteSelected } from '../../parts/delete-selected.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { type Selection, useSelection } from '../../parts/grid/selection.ts';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { runName } from '../../text/names.ts';
import { NewRunLink, NoRuns } from './no-runs.tsx';
import { runColumns } from './run-columns.tsx';
import { RunFilters } from './run-filters.tsx';
import { isFilteredBy } from './run-language.ts';
import { RunRetention } from './run-retention.tsx';
import { useRunSort } from './use-run-sort.ts';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** As many runs as one comparison shows: the baseline and eight candidates. */
const comparedMax = 9;

/** The runs of a project with their results. */
export function Runs() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('/projects/:projectId/runs', { params: { projectId }, query: search });
  const selection = useSelection('runs');
  const comparison = useCompare(selection, list.loaded);
  const names = useNames(projectId, [
    search.testsetId,
    search.systemVersionId,
    ...list.loaded.flatMap((run) => [run.testsetId, run.systemVersionId]),
  ]);
  const results = useRunResults(list.loaded);
  const measured = useRunResults(list.loaded, systemMetricIds);
  const isFiltered = isFilteredBy(search);
  const columns = runColumns({
    projectId,
    names,
    results,
    measured,
    hasLabels: list.loaded.some(({ labels }) => labels !== undefined),
    sortOf: useRunSort(),
  });
  return (
    <Page
      title="Runs"
      actions={
        <>
          <RunRetention projectId={projectId} />
          <ButtonLink to="/projects/$projectId/import" params={{ projectId }}>
            Import
          </ButtonLink>
          <NewRunLink projectId={projectId} />
        </>
      }
    >
      <RunFilters names={names} metrics={[...results.metrics, ...measured.metrics]} />
      <Grid
        name="runs"
        label="Runs"
        noun="run"
        list={list}
        selection={selection}
        idOf={({ id }) => id}
        nameOf={runName}
        actions={[
          { text: 'Compare', problem: comparison.problem, run: comparison.compare },
          {
            text: 'Delete',
            isDangerous: true,
            dialog: (onClose) => (
              <DeleteSelected
                selection={selection}
                noun="run"
                remove={(runId) => deleteIfThere('/runs/:runId', { runId })}
                refreshes={['/projects/:projectId/runs']}
                onClose={onClose}
              >
                They go with their records and scores, and cannot be had back.
              </DeleteSelected>
            ),
          },
        ]}
        tools={
          <Button
            disabled={comparison.problem !== undefined}
            title={comparison.problem}
            onClick={comparison.compare}
          >
            Compare
          </Button>
        }
        open={({ id }) =>
          void navigate({
            to: '/projects/$projectId/runs/$runId',
            params: { projectId, runId: id },
          })
        }
        columns={columns}
        empty={
          isFiltered ? (
            <Empty
              title="No run passes these filters"
              action={
                <Button onClick={() => void navigate({ search: {} })}>Take all filters away</Button>
              }
            >
              All runs of the project are there again without them.
            </Empty>
          ) : (
            <NoRuns projectId={projectId} />
          )
        }
      />
    </Page>
  );
}

type Run = ItemOf<'/projects/:projectId/runs'>;

/** Compares the runs that are chosen: the oldest is the baseline. */
function useCompare({ ids }: Selection, runs: Run[]) {
  const navigate = route.useNavigate();
  const { projectId } = route.useParams();
  // Ids are in the order of time.
  const [baseline, ...candidate] = [...ids].sort();
  const hasExpired = runs.some(({ id, expiredAt }) => expiredAt && ids.has(id));
  const isPossible = candidate.length > 0 && candidate.length < comparedMax && !hasExpired;
  const problem = hasExpired
    ? 'A run that has expired has no records to compare'
    : 'Choose two to nine runs';
  const compare = () =>
    void navigate({
      to: '/projects/$projectId/compare',
      params: { projectId },
      search: { baseline, candidate },
    });
  useShortcuts(isPossible ? { compare } : {});
  return { compare, problem: isPossible ? undefined : problem };
}
