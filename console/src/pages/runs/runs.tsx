import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useList } from '../../api/list.ts';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { useSelection } from '../../parts/grid/selection.ts';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { curl } from '../../text/commands.ts';
import { formatCount, formatDollars } from '../../text/format.ts';

export function Runs() {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/runs' });
  const list = useList('/projects/:projectId/runs', { params: { projectId } });
  const navigate = useNavigate();
  const selection = useSelection();
  return (
    <Page title="Runs">
      <Grid
        name="runs"
        label="Runs"
        noun="run"
        list={list}
        selection={selection}
        idOf={({ id }) => id}
        nameOf={({ createdAt }) => `run of ${createdAt}`}
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
            cell: ({ id, createdAt }) => (
              <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: id }}>
                Run of <Time at={createdAt} />
              </Link>
            ),
          },
          { id: 'status', name: 'Status', width: 150, cell: (run) => <Status run={run} /> },
          {
            id: 'records',
            name: 'Records',
            width: 100,
            isNumber: true,
            cell: ({ numRecords }) => formatCount(numRecords),
          },
          {
            id: 'cost',
            name: 'Cost',
            width: 90,
            isNumber: true,
            cell: ({ costUsd }) => formatDollars(costUsd),
          },
        ]}
        empty={
          <Empty
            title="No runs yet"
            command={curl('POST', `/projects/${projectId}/runs`, { metricIds: [] })}
          >
            A run is one evaluation of one system version: the records it made, and their scores.
          </Empty>
        }
      />
    </Page>
  );
}
