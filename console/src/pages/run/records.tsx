import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useMemo, useState } from 'react';
import { useList } from '../../api/list.ts';
import type { ItemOf } from '../../api/operations.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Grid } from '../../parts/grid/grid.tsx';
import { useSelection } from '../../parts/grid/selection.ts';
import { OutcomeMark } from '../../parts/score.tsx';
import { curl } from '../../text/commands.ts';
import { countOf } from '../../text/format.ts';
import { inShort } from '../../text/json.ts';
import { outcomeOf, valueIn } from '../../text/scores.ts';
import type { MetricSummary } from './metric-cards.tsx';
import type { LiveRun, RunReply } from './use-live-run.ts';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

/** Characters of each payload: as many as a cell can show. */
const previewCharacters = 200;

const SetUpReview = lazy(async () => ({
  default: (await import('../review/set-up.tsx')).SetUpReview,
}));

type RecordItem = ItemOf<'/runs/:runId/records'>;

/** The records of a run: what was answered, and how each metric scored it. */
export function Records({
  run,
  metrics,
  live,
}: {
  run: RunReply;
  metrics: MetricSummary[];
  live: LiveRun;
}) {
  const { projectId } = route.useParams();
  const { tags } = route.useSearch();
  const navigate = route.useNavigate();
  const selection = useSelection();
  const list = useList('/runs/:runId/records', {
    params: { runId: run.id },
    query: { tags: tags ?? [], preview: previewCharacters },
  });
  const columns = useMemo(() => columnsOf(projectId, metrics), [projectId, metrics]);
  return (
    <Grid
      name="records"
      label="Records"
      noun="record"
      list={list}
      selection={selection}
      idOf={({ id }) => id}
      nameOf={({ inputs }) => inShort(inputs).slice(0, 80)}
      open={({ id }) =>
        void navigate({
          to: '/projects/$projectId/records/$recordId',
          params: { projectId, recordId: id },
        })
      }
      columns={columns}
      tools={
        <>
          {live.newRecords > 0 && (
            <Button onClick={live.showNew}>{countOf(live.newRecords, 'new record')}: show</Button>
          )}
          {selection.ids.size > 0 && metrics.some(({ evalType }) => evalType === 'human') && (
            <StartReview projectId={projectId} runId={run.id} recordIds={[...selection.ids]} />
          )}
        </>
      }
      empty={
        <Empty
          title="No records yet"
          command={curl('POST', `/runs/${run.id}/records`, {
            inputs: { question: 'Where is my parcel?' },
            expected: { idealAnswer: 'Ask for the tracking number.' },
            outputs: { response: 'Could you tell me the tracking number?' },
          })}
        >
          A record is what the system did with one input. They appear here as they come in.
        </Empty>
      }
    />
  );
}

/** Has the selected records reviewed, by oneself or by others. */
function StartReview(props: { projectId: string; runId: string; recordIds: string[] }) {
  const [isSettingUp, setUp] = useState(false);
  return (
    <>
      <Button onClick={() => setUp(true)}>Start a review of these</Button>
      {isSettingUp && (
        <Suspense>
          <SetUpReview {...props} onClose={() => setUp(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The first column names the row; the metrics follow, because they are what one looks for. */
const columnsOf = (projectId: string, metrics: MetricSummary[]): Column<RecordItem>[] => [
  {
    id: 'inputs',
    name: 'Inputs',
    width: 280,
    cell: ({ id, inputs }) => (
      <Link to="/projects/$projectId/records/$recordId" params={{ projectId, recordId: id }}>
        {inShort(inputs)}
      </Link>
    ),
  },
  ...metrics.map(
    (metric): Column<RecordItem> => ({
      id: metric.metricId,
      name: metric.name,
      width: 130,
      cell: ({ scores }) => {
        const score = scores.find(
          ({ metricConfigId }) => metricConfigId === metric.metricVersionId,
        );
        if (!score) return <OutcomeMark outcome="pending" />;
        const value = valueIn(score.score);
        return (
          <OutcomeMark
            outcome={outcomeOf(metric, value)}
            value={typeof value === 'number' ? value : null}
          />
        );
      },
    }),
  ),
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
