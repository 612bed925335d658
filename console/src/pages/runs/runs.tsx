import type { ItemOf } from '@assay/client/operations';
import { partOfRun } from '@assay/client/part-of-run';
import { getRouteApi, Link } from '@tanstack/react-router';
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
import { Rate } from '../../parts/rate.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { formatCount, formatDollars } from '../../text/format.ts';
import { labelTexts, runName } from '../../text/names.ts';
import { NewRunLink, NoRuns } from './no-runs.tsx';
import { RunFilters } from './run-filters.tsx';
import { RunRetention } from './run-retention.tsx';
import styles from './runs.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs');

/** As many runs as one comparison shows: the baseline and eight candidates. */
const comparedMax = 9;

/** The runs of a project with their results, the newest first. */
export function Runs() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const list = useList('/projects/:projectId/runs', { params: { projectId }, query: search });
  const selection = useSelection();
  const comparison = useCompare(selection, list.loaded);
  const names = useNames(projectId);
  const results = useRunResults(list.loaded);
  const isFiltered = Object.keys(search).length > 0;
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
      <RunFilters names={names} />
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
        columns={[
          {
            id: 'name',
            name: 'Name',
            width: 220,
            cell: (run) => (
              <span>
                <Link
                  to="/projects/$projectId/runs/$runId"
                  params={{ projectId, runId: run.id }}
                  title={runName(run)}
                >
                  {run.name ?? (
                    <>
                      Run of <Time at={run.createdAt} />
                    </>
                  )}
                </Link>
                <span className={styles.labels}>
                  {[partOfRun(run) ?? [], labelTexts(run)].flat().join(' ')}
                </span>
              </span>
            ),
          },
          { id: 'status', name: 'Status', width: 150, cell: (run) => <Status run={run} /> },
          ...results.metrics.map(({ metricId, name }) => ({
            id: `metric-${metricId}`,
            name,
            width: 120,
            isNumber: true,
            cell: ({ id }: Run) => {
              const result = results.resultOf(id, metricId);
              return result ? <Rate result={result} /> : '–';
            },
          })),
          {
            id: 'errors',
            name: 'Errors',
            width: 120,
            isNumber: true,
            cell: ({ id }) => {
              const errors = results.errorsOf(id);
              return errors?.mean ? <Rate result={errors} /> : '–';
            },
          },
          {
            id: 'records',
            name: 'Records',
            width: 90,
            isNumber: true,
            cell: ({ numRecords }) => formatCount(numRecords),
          },
          {
            id: 'failed',
            name: 'Failed',
            width: 80,
            isNumber: true,
            cell: ({ scoring }) => (scoring.failed > 0 ? formatCount(scoring.failed) : '–'),
          },
          {
            id: 'cost',
            name: 'Cost',
            width: 80,
            isNumber: true,
            cell: ({ costUsd }) => formatDollars(costUsd),
          },
          {
            id: 'testset',
            name: 'Testset',
            cell: ({ testsetId }) => <span>{testsetId ? names.testset(testsetId) : '–'}</span>,
          },
          {
            id: 'version',
            name: 'System version',
            cell: ({ systemVersionId }) => (
              <span>{systemVersionId ? names.version(systemVersionId) : '–'}</span>
            ),
          },
          {
            id: 'createdBy',
            name: 'Made by',
            cell: ({ createdByUserId }) => (
              <span>{createdByUserId ? names.member(createdByUserId) : '–'}</span>
            ),
          },
          { id: 'createdAt', name: 'Made', cell: ({ createdAt }) => <Time at={createdAt} /> },
        ]}
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
