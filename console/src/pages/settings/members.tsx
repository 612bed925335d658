import type { ItemOf } from '@assay/client/operations';
import { type ReactNode, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useChange } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { Time } from '../../parts/time.tsx';
import { ImportedPeople, useHasImported } from './imported-people.tsx';

type Member = ItemOf<'/members'>;

/** The members of the organization, or the people whom imports made. */
export function Members() {
  const isAdmin = useMe().data?.role === 'admin';
  const hasImported = useHasImported();
  const [isImported, setImported] = useState(false);
  const tools = (hasImported || isImported) && (
    <Button aria-pressed={isImported} onClick={() => setImported(!isImported)}>
      Imported people
    </Button>
  );
  return isImported ? (
    <ImportedPeople isAdmin={isAdmin} tools={tools} />
  ) : (
    <OwnMembers isAdmin={isAdmin} tools={tools} />
  );
}

/** The members and their roles. */
function OwnMembers({ isAdmin, tools }: { isAdmin: boolean; tools: ReactNode }) {
  const list = useList('/members');
  const [isAdding, setAdding] = useState(false);
  const [changed, setChanged] = useState<Member>();
  return (
    <>
      {!isAdmin && <p>Admins add and change members.</p>}
      <Grid
        name="members"
        label="Members"
        noun="member"
        list={list}
        idOf={({ userId }) => userId}
        nameOf={({ email }) => email}
        tools={
          <>
            {tools}
            <Button kind="main" disabled={!isAdmin} onClick={() => setAdding(true)}>
              Add a member
            </Button>
          </>
        }
        columns={[
          { id: 'email', name: 'E-mail', width: 220, cell: ({ email }) => <span>{email}</span> },
          { id: 'name', name: 'Name', width: 180, cell: ({ name }) => <span>{name}</span> },
          { id: 'role', name: 'Role', width: 90, cell: ({ role }) => role },
          { id: 'createdAt', name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            id: 'change',
            name: 'Change',
            width: 100,
            cell: (member) => (
              <Button kind="quiet" disabled={!isAdmin} onClick={() => setChanged(member)}>
                Change
              </Button>
            ),
          },
        ]}
        empty={null}
      />
      {isAdding && <NewMember onClose={() => setAdding(false)} />}
      {changed && <ChangeMember member={changed} onClose={() => setChanged(undefined)} />}
    </>
  );
}

function NewMember({ onClose }: { onClose: () => void }) {
  const create = useChange('POST', '/members', { refreshes: ['/members'] });
  return (
    <FormDialog
      title="Add a member"
      button="Add"
      change={create}
      onClose={onClose}
      submit={(form) => {
        const name = `${form.get('name')}`.trim();
        create.mutate(
          {
            body: {
              email: `${form.get('email')}`,
              role: form.get('role') === 'admin' ? 'admin' : 'member',
              ...(name ? { name } : {}),
            },
          },
          { onSuccess: onClose },
        );
      }}
    >
      <Field
        label="E-mail address"
        name="email"
        type="email"
        required
        problem={problemAt(create.error, '/email')}
      />
      <Field label="Name" name="name" problem={problemAt(create.error, '/name')} />
      <RoleChoice chosen="member" />
    </FormDialog>
  );
}

function ChangeMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const update = useChange('PATCH', '/members/:userId', { refreshes: ['/members'] });
  const [isRemoving, setRemoving] = useState(false);
  if (isRemoving) return <RemoveMember member={member} onClose={onClose} />;
  return (
    <FormDialog
      title={member.email}
      button="Save"
      change={update}
      onClose={onClose}
      submit={(form) =>
        update.mutate(
          {
            params: { userId: member.userId },
            body: {
              name: `${form.get('name')}`.trim() || null,
              role: form.get('role') === 'admin' ? 'admin' : 'member',
            },
          },
          { onSuccess: onClose },
        )
      }
    >
      <Field
        label="Name"
        name="name"
        defaultValue={member.name ?? ''}
        problem={problemAt(update.error, '/name')}
      />
      <RoleChoice chosen={member.role} />
      <Button kind="danger" onClick={() => setRemoving(true)}>
        Remove the member …
      </Button>
    </FormDialog>
  );
}

function RemoveMember({ member, onClose }: { member: Member; onClose: () => void }) {
  const remove = useChange('DELETE', '/members/:userId', { refreshes: ['/members'] });
  return (
    <FormDialog
      title={`Remove ${member.email}`}
      button="Remove, with all keys"
      isDangerous
      change={remove}
      onClose={onClose}
      submit={() => remove.mutate({ params: { userId: member.userId } }, { onSuccess: onClose })}
    >
      <p>
        Within a second the member is signed out everywhere, and their keys end: programs that use
        them stop. What they made stays.
      </p>
    </FormDialog>
  );
}

const RoleChoice = ({ chosen }: { chosen: Member['role'] }) => (
  <Choice label="Role" name="role" defaultValue={chosen}>
    <option value="member">Member</option>
    <option value="admin">Admin: also members and keys</option>
  </Choice>
);
