import type { ItemOf } from '@assay/client/operations';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { type List, useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Grid, totalOf } from '../../parts/grid/grid.tsx';
import { useSelection } from '../../parts/grid/selection.ts';
import { OutcomeMark } from '../../parts/score.tsx';
import { NoneFound } from '../../parts/search/none-found.tsx';
import { SearchedSoFar } from '../../parts/search/searched-so-far.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import { inShort } from '../../text/json.ts';
import { shownScore } from '../../text/scores.ts';
import { AddColumn, addedColumnsOf, useAddedColumns } from './added-columns.tsx';
import { filteredCount } from './filtered-count.ts';
import { MetricHead } from './metric-head.tsx';
import { NoRecords } from './no-records.tsx';
import { RecordFilters } from './record-filters.tsx';
import type { MetricSummary } from './run-summary.ts';
import { recordActions } from './selected-records.tsx';
import type { LiveRun, RunReply } from './use-live-run.ts';
import { usePeek } from './use-peek.ts';
import { useRecordSearch } from './use-record-search.ts';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

const RecordPeek = lazy(async () => ({ default: (await import('./record-peek.tsx')).RecordPeek }));

/** Characters of each payload: as many as a cell can show. */
const previewCharacters = 200;

type RecordItem = ItemOf<'/runs/:runId/records'>;

interface RecordsProps {
  run: RunReply;
  metrics: MetricSummary[];
  areMetricsRead: boolean;
  live: LiveRun;
}

/** The records of a run: inputs, outputs, and each metric's score. */
export function Records(props: RecordsProps) {
  const { text } = route.useSearch();
  return (
    <>
      <RecordFilters metrics={props.metrics} areMetricsRead={props.areMetricsRead} />
      {text ? <FoundRecords {...props} text={text} /> : <ListedRecords {...props} />}
    </>
  );
}

function ListedRecords(props: RecordsProps) {
  const { projectId } = route.useParams();
  const {
    tab: _tab,
    text: _text,
    column: _column,
    record: _record,
    breakdown: _breakdown,
    ...filters
  } = route.useSearch();
  const { fields } = useAddedColumns();
  const list = useList('/runs/:runId/records', {
    params: { runId: props.run.id },
    query: { ...filters, preview: previewCharacters, fields },
  });
  const { sort: _sort, order: _order, ...narrowing } = filters;
  const isFiltered = Object.keys(narrowing).length > 0;
  const total = isFiltered ? filteredCount(filters, props.metrics) : props.run.numRecords;
  const none = <NoRecords projectId={projectId} run={props.run} />;
  return (
    <RecordGrid {...props} list={{ ...list, total }} empty={isFiltered ? <NonePasses /> : none} />
  );
}

function FoundRecords({ text, ...props }: RecordsProps & { text: string }) {
  const { fields } = useAddedColumns();
  const { list, last, state } = useRecordSearch(props.run.id, {
    text,
    preview: previewCharacters,
    fields,
  });
  return (
    <>
      <SearchedSoFar
        state={state}
        progress={
          last && `Searched ${formatCount(last.searched)} of ${countOf(last.total, 'record')}.`
        }
      />
      <RecordGrid
        {...props}
        list={list}
        empty={
          <NoneFound state={state}>
            <NonePasses />
          </NoneFound>
        }
      />
    </>
  );
}

function NonePasses() {
  return (
    <Empty title="No record passes these filters">
      Take a filter away to see more records of the run.
    </Empty>
  );
}

function RecordGrid({
  run,
  metrics,
  live,
  list,
  empty,
}: RecordsProps & { list: List<RecordItem>; empty: ReactNode }) {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const sorted = route.useSearch();
  const selection = useSelection('records');
  const walk = {
    ids: list.loaded.map(({ id }) => id),
    runId: run.id,
    before: list.firstLoaded,
    total: totalOf(list),
  };
  const added = useAddedColumns();
  const peek = usePeek();
  return (
    <Grid
      name="records"
      label="Records"
      noun="record"
      list={list}
      selection={selection}
      actions={recordActions({ projectId, runId: run.id, metrics, selection })}
      peek={{
        ...peek,
        panel: peek.id && (
          <Suspense>
            <RecordPeek recordId={peek.id} metrics={metrics} onClose={() => peek.show(undefined)} />
          </Suspense>
        ),
      }}
      idOf={({ id }) => id}
      nameOf={({ inputs }) => inShort(inputs).slice(0, 80)}
      open={({ id }) =>
        void navigate({
          to: '/projects/$projectId/records/$recordId',
          params: { projectId, recordId: id },
          state: { walk },
        })
      }
      columns={[
        {
          id: 'inputs',
          name: 'Inputs',
          width: 280,
          cell: ({ id, inputs }) => (
            <Link
              to="/projects/$projectId/records/$recordId"
              params={{ projectId, recordId: id }}
              state={{ walk }}
            >
              {inShort(inputs)}
            </Link>
          ),
        },
        ...metricColumns(metrics, sorted),
        ...addedColumnsOf(added),
        ...payloadColumns,
      ]}
      tools={
        <>
          {live.newRecords > 0 && (
            <Button onClick={live.showNew}>{countOf(live.newRecords, 'new record')}: show</Button>
          )}
          <AddColumn added={added} records={list.loaded} />
        </>
      }
      empty={empty}
    />
  );
}

/** The metrics come first, because people look for them. */
const metricColumns = (
  metrics: MetricSummary[],
  { sort, order = 'asc' }: { sort?: string; order?: 'asc' | 'desc' },
): Column<RecordItem>[] =>
  metrics.map(
    (metric): Column<RecordItem> => ({
      id: metric.metricId,
      name: metric.name,
      head: <MetricHead metric={metric} />,
      width: 160,
      sort: { direction: sort === `value:${metric.metricVersionId}` ? order : undefined },
      cell: (record) => <OutcomeMark {...shownScore(record, metric).mark} />,
    }),
  );

const payloadColumns: Column<RecordItem>[] = [
  {
    id: 'outputs',
    name: 'Outputs',
    width: 300,
    cell: ({ outputs }) => <span>{inShort(outputs)}</span>,
  },
  {
    id: 'expected',
    name: 'Expected',
    width: 240,
    cell: ({ expected }) => <span>{inShort(expected)}</span>,
  },
];
