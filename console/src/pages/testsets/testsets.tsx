import { getRouteApi, Link } from '@tanstack/react-router';
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
import { visible } from '../../text/format.ts';
import { fieldsOf, noFields, type Role, type Testset } from '../testset/fields.ts';

const route = getRouteApi('/frame/projects/$projectId/testsets');

/** The testsets of a project: the questions that its systems are asked. */
export function Testsets() {
  const { projectId } = route.useParams();
  const navigate = route.useNavigate();
  const list = useList('/projects/:projectId/testsets', { params: { projectId } });
  const [isCreating, setCreating] = useState(false);
  const create = (
    <Button kind="main" onClick={() => setCreating(true)}>
      New testset
    </Button>
  );
  return (
    <Page
      title="Testsets"
      actions={
        <>
          <ButtonLink to="/projects/$projectId/import" params={{ projectId }}>
            Import
          </ButtonLink>
          {create}
        </>
      }
    >
      <Grid
        name="testsets"
        label="Testsets"
        noun="testset"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        open={({ id }) =>
          void navigate({
            to: '/projects/$projectId/testsets/$testsetId',
            params: { projectId, testsetId: id },
          })
        }
        columns={[
          {
            id: 'name',
            name: 'Name',
            width: 220,
            cell: ({ id, name }) => (
              <Link
                to="/projects/$projectId/testsets/$testsetId"
                params={{ projectId, testsetId: id }}
              >
                <HeldName id={id}>{visible(name)}</HeldName>
              </Link>
            ),
          },
          {
            id: 'fields',
            name: 'Fields',
            width: 80,
            isNumber: true,
            cell: (testset) => fieldsOf(testset).length,
          },
          {
            id: 'inputs',
            name: 'Inputs',
            width: 180,
            cell: (testset) => <span>{namesOf(testset, 'inputs')}</span>,
          },
          {
            id: 'expected',
            name: 'Expected',
            width: 180,
            cell: (testset) => <span>{namesOf(testset, 'expected')}</span>,
          },
          {
            id: 'description',
            name: 'Description',
            width: 320,
            cell: ({ description }) => <span>{visible(description)}</span>,
          },
        ]}
        empty={
          <Empty
            title="No testsets yet"
            action={create}
            command={curl('POST', `/projects/${projectId}/testsets`, {
              name: 'Support questions',
              description: '',
              jsonSchema: { properties: { question: { type: 'string' } } },
              fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
            })}
          >
            A testset holds testcases of one shape: what a system is given, and what is expected of
            it. Make one, and fill it from a file.
          </Empty>
        }
      />
      {isCreating && <NewTestset projectId={projectId} onClose={() => setCreating(false)} />}
    </Page>
  );
}

const namesOf = ({ fieldMapping }: Testset, role: Role): string =>
  visible(fieldMapping[role].join(', '));

function NewTestset({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const create = useChange('POST', '/projects/:projectId/testsets', {
    refreshes: ['/projects/:projectId/testsets'],
  });
  const navigate = route.useNavigate();
  return (
    <FormDialog
      title="New testset"
      button="Create"
      change={create}
      onClose={onClose}
      submit={(form) => {
        const [name, description] = [`${form.get('name')}`, `${form.get('description')}`];
        create.mutate(
          { params: { projectId }, body: { name, description, ...noFields } },
          {
            onSuccess: ({ id }) =>
              void navigate({
                to: '/projects/$projectId/testsets/$testsetId',
                params: { projectId, testsetId: id },
              }),
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
        hint="Its fields come from a file that you import, or from the schema that you write next."
      />
    </FormDialog>
  );
}
