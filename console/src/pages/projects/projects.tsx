import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { useChange } from '../../api/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { HeldName } from '../../parts/held-name.tsx';
import { curl } from '../../text/commands.ts';

/** The projects of the organization. */
export function Projects() {
  const list = useList('/projects');
  const navigate = useNavigate();
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      New project
    </Button>
  );
  return (
    <Page
      title="Projects"
      actions={
        <>
          <ButtonLink to="/import">Import</ButtonLink>
          {create}
        </>
      }
    >
      <Grid
        name="projects"
        label="Projects"
        noun="project"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        open={({ id }) => void navigate({ to: '/projects/$projectId', params: { projectId: id } })}
        columns={[
          {
            id: 'name',
            name: 'Name',
            width: 240,
            cell: ({ id, name }) => (
              <Link to="/projects/$projectId" params={{ projectId: id }}>
                <HeldName id={id}>{name}</HeldName>
              </Link>
            ),
          },
          {
            id: 'description',
            name: 'Description',
            width: 480,
            cell: ({ description }) => <span>{description}</span>,
          },
        ]}
        empty={
          <Empty
            title="No projects yet"
            action={create}
            command={curl('POST', '/projects', { name: 'Support', description: 'Our assistant' })}
          >
            A project holds what one team evaluates: testsets, systems, metrics and runs. Make one,
            and its page leads through your first evaluation.
          </Empty>
        }
      />
      {isCreating && <NewProject onClose={() => setCreating(false)} />}
    </Page>
  );
}

function NewProject({ onClose }: { onClose: () => void }) {
  const create = useChange('POST', '/projects', { refreshes: ['/projects'] });
  const navigate = useNavigate();
  return (
    <FormDialog
      title="New project"
      button="Create"
      change={create}
      onClose={onClose}
      submit={(form) => {
        create.mutate(
          { body: { name: `${form.get('name')}`, description: `${form.get('description')}` } },
          {
            onSuccess: ({ id }) =>
              void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
          },
        );
      }}
    >
      <Field label="Name" name="name" required problem={problemAt(create.error, '/name')} />
      <Field
        label="Description"
        name="description"
        rows={3}
        problem={problemAt(create.error, '/description')}
      />
    </FormDialog>
  );
}
