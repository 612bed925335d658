import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { HeldName } from '../../parts/held-name.tsx';
import { curl } from '../../text/commands.ts';
import { parseObject } from '../../text/json.ts';

const route = getRouteApi('/frame/projects/$projectId/systems');

/** The systems under test of a project. */
export function Systems() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const list = useList('/projects/:projectId/systems', { params: { projectId } });
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      New system
    </Button>
  );
  return (
    <Page title="Systems" actions={create}>
      <Grid
        name="systems"
        label="Systems"
        noun="system"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        open={({ id }) =>
          void navigate({
            to: '/projects/$projectId/systems/$systemId',
            params: { projectId, systemId: id },
          })
        }
        columns={[
          {
            id: 'name',
            name: 'Name',
            width: 220,
            cell: ({ id, name }) => (
              <Link
                to="/projects/$projectId/systems/$systemId"
                params={{ projectId, systemId: id }}
              >
                <HeldName id={id}>{name}</HeldName>
              </Link>
            ),
          },
          {
            id: 'production',
            name: 'In production',
            width: 180,
            cell: ({ productionVersion }) => <span>{productionVersion.name}</span>,
          },
          {
            id: 'versions',
            name: 'Versions',
            width: 90,
            isNumber: true,
            cell: ({ versions }) => versions.length,
          },
          {
            id: 'description',
            name: 'Description',
            width: 320,
            cell: ({ description }) => <span>{description}</span>,
          },
        ]}
        empty={
          <Empty
            title="No systems yet"
            action={create}
            command={curl('POST', `/projects/${projectId}/systems`, {
              name: 'Support bot',
              config: { model: 'gpt-4o', temperature: 0 },
            })}
          >
            A system is what you evaluate. Each of its configurations is a version that never
            changes, so that a run says for ever what it was of.
          </Empty>
        }
      />
      {isCreating && <NewSystem projectId={projectId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewSystem({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const create = useChange('POST', '/projects/:projectId/systems', {
    refreshes: ['/projects/:projectId/systems'],
  });
  const [problem, setProblem] = useState<string>();
  return (
    <FormDialog
      title="New system"
      button="Create"
      change={create}
      onClose={onClose}
      submit={(form) => {
        const config = parseObject(`${form.get('config')}`);
        setProblem(config instanceof Error ? config.message : undefined);
        if (config instanceof Error) return;
        create.mutate(
          {
            params: { projectId },
            body: {
              name: `${form.get('name')}`,
              description: `${form.get('description')}`,
              config,
            },
          },
          { onSuccess: onClose },
        );
      }}
    >
      <Field label="Name" name="name" required problem={problemAt(create.error, '/name')} />
      <Field label="Description" name="description" />
      <Field
        label="Configuration (JSON)"
        name="config"
        rows={6}
        defaultValue="{}"
        problem={problem ?? problemAt(create.error, '/config')}
      />
    </FormDialog>
  );
}
