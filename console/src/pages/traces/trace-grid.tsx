import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { deleteIfThere } from '../../api/each.ts';
import type { List } from '../../api/list.ts';
import { DeleteSelected } from '../../parts/delete-selected.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { useSelection } from '../../parts/grid/selection.ts';
import { visible } from '../../text/format.ts';
import { Guessed } from './guessed.tsx';
import { traceColumnsOf } from './trace-columns.tsx';
import type { TraceItem } from './use-new-traces.ts';

const route = getRouteApi('/frame/projects/$projectId/traces');

/** A list of traces, which are opened and deleted from here. */
export function TraceGrid({
  list,
  tools,
  empty,
}: {
  list: List<TraceItem>;
  tools?: ReactNode;
  empty: ReactNode;
}) {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const selection = useSelection('traces');
  return (
    <>
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
                refreshes={['/projects/:projectId/traces', '/projects/:projectId/traces/search']}
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
        tools={tools}
        columns={traceColumnsOf(projectId)}
        empty={empty}
      />
    </>
  );
}
