import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { type RunResults, useRunResults } from '../../api/run-results.ts';
import { useRuns } from '../../api/runs.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Grid } from '../../parts/grid/grid.tsx';
import { formatCount, formatDollars, formatSetShare, visible } from '../../text/format.ts';
import { EditMonitor } from './edit-monitor.tsx';
import { filterText, leftOutText, type MonitorItem, rateText } from './monitor-text.ts';
import { NewMonitor } from './new-monitor.tsx';

const route = getRouteApi('/frame/projects/$projectId/monitors');

/** The monitors of a project, with the counts of their last day. */
export function Monitors() {
  const { projectId } = route.useParams();
  const list = useList('/projects/:projectId/monitors', { params: { projectId } });
  const runs = useRuns(list.loaded.flatMap(({ days }) => days[0]?.runId ?? []));
  const results = useRunResults(runs);
  const [isCreating, setCreating] = useState(false);
  const [editedId, setEdited] = useState<string>();
  const edited = list.loaded.find(({ id }) => id === editedId);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      New monitor
    </Button>
  );
  return (
    <Page title="Monitors" actions={create}>
      <Grid
        name="monitors"
        label="Monitors"
        noun="monitor"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ description }) => visible(description)}
        open={({ id }) => setEdited(id)}
        columns={columnsOf(projectId, { edit: setEdited, runs, results })}
        empty={
          <Empty title="No monitors yet" action={create}>
            A monitor scores a share of the traces that come: it makes records of them, in one run
            for each day, and counts what it leaves out.
          </Empty>
        }
      />
      {isCreating && <NewMonitor projectId={projectId} onClose={() => setCreating(false)} />}
      {edited && (
        <EditMonitor key={edited.id} monitor={edited} onClose={() => setEdited(undefined)} />
      )}
    </Page>
  );
}

/** A cell with a figure of the run of the last day. */
const figure =
  (runs: ReturnType<typeof useRuns>, write: (run: (typeof runs)[number]) => string) =>
  ({ days: [day] }: MonitorItem): string => {
    const run = runs.find(({ id }) => id === day?.runId);
    return run ? write(run) : '–';
  };

const columnsOf = (
  projectId: string,
  {
    edit,
    runs,
    results,
  }: {
    edit: (id: string) => void;
    /** The runs of the last days. */
    runs: ReturnType<typeof useRuns>;
    results: RunResults;
  },
): Column<MonitorItem>[] => [
  {
    id: 'description',
    name: 'Description',
    width: 170,
    cell: ({ id, description }) => (
      <Button kind="quiet" onClick={() => edit(id)}>
        {visible(description)}
      </Button>
    ),
  },
  { id: 'status', name: 'Status', width: 120, cell: (monitor) => <Status monitor={monitor} /> },
  {
    id: 'filter',
    name: 'Looks at',
    width: 150,
    cell: (monitor) => <span>{filterText(monitor)}</span>,
  },
  {
    id: 'share',
    name: 'Share',
    width: 68,
    isNumber: true,
    cell: ({ sampleRate }) => formatSetShare(sampleRate),
  },
  {
    id: 'run',
    name: 'Last day',
    width: 104,
    cell: ({ days: [day] }) =>
      day?.runId ? (
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: day.runId }}>
          {day.day}
        </Link>
      ) : (
        <span>{day?.day ?? '–'}</span>
      ),
  },
  {
    id: 'results',
    name: 'Results',
    width: 200,
    cell: ({ days: [day] }) => {
      const found = day?.runId ? results.ofRun(day.runId) : [];
      if (found.length === 0) return <span>–</span>;
      const text = found.map((result) => `${visible(result.name)}: ${rateText(result)}`).join(', ');
      return <span title={text}>{text}</span>;
    },
  },
  {
    id: 'scores',
    name: 'Scores',
    width: 76,
    isNumber: true,
    cell: figure(runs, ({ scoring }) => formatCount(scoring.scored)),
  },
  {
    id: 'cost',
    name: 'Cost',
    width: 76,
    isNumber: true,
    cell: figure(runs, ({ costUsd }) => formatDollars(costUsd)),
  },
  ...(['seen', 'matched', 'sampled', 'recorded'] as const).map(
    (name): Column<MonitorItem> => ({
      id: name,
      name: `${name[0]!.toUpperCase()}${name.slice(1)}`,
      width: 84,
      isNumber: true,
      cell: ({ days: [day] }) => (day ? formatCount(day.counts[name]) : '–'),
    }),
  ),
  {
    id: 'left-out',
    name: 'Left out',
    width: 240,
    cell: ({ days: [day] }) => <span>{(day && leftOutText(day.counts)) || '–'}</span>,
  },
];

const budgetSpent =
  'The budget of its last day is spent: its judges score no more until the next day.';

function Status({ monitor: { isPaused, problem, isBudgetSpent } }: { monitor: MonitorItem }) {
  if (problem !== null) return <span title={visible(problem)}>! {visible(problem)}</span>;
  if (isBudgetSpent && !isPaused) return <span title={budgetSpent}>! budget of the day spent</span>;
  return <span>{isPaused ? 'paused' : '✓ watching'}</span>;
}
