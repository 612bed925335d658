import { getRouteApi, Link } from '@tanstack/react-router';
import { deleteIfThere } from '../../api/each.ts';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { DeleteSelected } from '../../parts/delete-selected.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Grid } from '../../parts/grid/grid.tsx';
import { useSelection } from '../../parts/grid/selection.ts';
import { HeldName } from '../../parts/held-name.tsx';
import { Time } from '../../parts/time.tsx';
import { countOf, visible } from '../../text/format.ts';
import { Guessed } from './guessed.tsx';
import { NoTraces } from './no-traces.tsx';
import { TraceFilters } from './trace-filters.tsx';
import { TraceCost, TraceDuration, TraceStatus, TraceTokens } from './trace-marks.tsx';
import { TraceRetention } from './trace-retention.tsx';
import { TraceScores } from './trace-scores.tsx';
import styles from './traces.module.css';
import { newestMax, type TraceItem, useNewTraces } from './use-new-traces.ts';
import { Volume } from './volume.tsx';

const route = getRouteApi('/frame/projects/$projectId/traces');

/** The traces of a project, the newest first. */
export function Traces() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = { ...search, records: 'true' as const };
  const read = useList('/projects/:projectId/traces', { params: { projectId }, query });
  const { list, count, show } = useNewTraces(projectId, { list: read, query });
  const selection = useSelection('traces');
  const isFiltered = Object.keys(search).length > 0;
  return (
    <Page title="Traces" actions={<TraceRetention projectId={projectId} />}>
      <TraceFilters />
      <div className={isFiltered || list.rows > 0 ? undefined : styles.unseen}>
        <Volume />
      </div>
      {list.loaded.some(({ isProjectGuessed }) => isProjectGuessed) && (
        <Guessed projectId={projectId} subject="Some of these traces" />
      )}
      <Grid
        name="traces"
        label="Traces"
        noun="trace"
        list={list}
        selection={selection}
        idOf={({ traceId }) => traceId}
        nameOf={({ name }) => visible(name)}
        actions={[
          {
            text: 'Delete',
            isDangerous: true,
            dialog: (onClose) => (
              <DeleteSelected
                selection={selection}
                noun="trace"
                remove={(traceId) => deleteIfThere('/traces/:traceId', { traceId })}
                refreshes={['/projects/:projectId/traces']}
                onClose={onClose}
              >
                They go with their spans, and cannot be had back.
              </DeleteSelected>
            ),
          },
        ]}
        open={({ traceId }) =>
          void navigate({
            to: '/projects/$projectId/traces/$traceId',
            params: { projectId, traceId },
          })
        }
        tools={
          count > 0 && (
            <Button onClick={show}>
              {count === newestMax ? `${count} or more new traces` : countOf(count, 'new trace')}:
              show
            </Button>
          )
        }
        columns={columnsOf(projectId)}
        empty={
          isFiltered ? (
            <Empty
              title="No trace passes these filters"
              action={
                <Button onClick={() => void navigate({ search: {} })}>Take all filters away</Button>
              }
            >
              All traces of the project are there again without them.
            </Empty>
          ) : (
            <NoTraces projectId={projectId} />
          )
        }
      />
    </Page>
  );
}

const Text = ({ text }: { text: string | null }) => <span>{text ? visible(text) : '–'}</span>;

const columnsOf = (projectId: string): Column<TraceItem>[] => [
  {
    id: 'name',
    name: 'Name',
    width: 150,
    cell: ({ traceId, name }) => (
      <Link to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }}>
        <HeldName id={traceId}>{visible(name) || 'without a name'}</HeldName>
      </Link>
    ),
  },
  { id: 'startedAt', name: 'Began', width: 110, cell: ({ startedAt }) => <Time at={startedAt} /> },
  { id: 'status', name: 'Status', width: 176, cell: (trace) => <TraceStatus trace={trace} /> },
  { id: 'scores', name: 'Scores', width: 170, cell: (trace) => <TraceScores trace={trace} /> },
  {
    id: 'input',
    name: 'Input',
    width: 150,
    cell: ({ inputPreview }) => <Text text={inputPreview} />,
  },
  {
    id: 'output',
    name: 'Output',
    width: 150,
    cell: ({ outputPreview }) => <Text text={outputPreview} />,
  },
  {
    id: 'duration',
    name: 'Latency',
    width: 84,
    isNumber: true,
    cell: (trace) => <TraceDuration trace={trace} />,
  },
  {
    id: 'tokens',
    name: 'Tokens',
    width: 80,
    isNumber: true,
    cell: (trace) => <TraceTokens trace={trace} />,
  },
  {
    id: 'cost',
    name: 'Cost',
    width: 90,
    isNumber: true,
    cell: (trace) => <TraceCost trace={trace} />,
  },
  {
    id: 'session',
    name: 'Session',
    width: 120,
    cell: ({ sessionId }) =>
      sessionId === null ? (
        '–'
      ) : (
        <Link to="/projects/$projectId/sessions/$sessionId" params={{ projectId, sessionId }}>
          {visible(sessionId)}
        </Link>
      ),
  },
  {
    id: 'models',
    name: 'Models',
    width: 130,
    cell: ({ models }) => <Text text={models.join(', ')} />,
  },
  {
    id: 'service',
    name: 'Service',
    width: 120,
    cell: ({ serviceName }) => <Text text={serviceName} />,
  },
  { id: 'user', name: 'User', width: 110, cell: ({ userId }) => <Text text={userId} /> },
  { id: 'tags', name: 'Tags', width: 120, cell: ({ tags }) => <Text text={tags.join(', ')} /> },
];
