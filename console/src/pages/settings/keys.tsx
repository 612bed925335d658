import type { ItemOf } from '@assay/client/operations';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { useChange } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { Time } from '../../parts/time.tsx';
import { curl } from '../../text/commands.ts';

type Key = ItemOf<'/api-keys'>;

/** A key that was used this lately is asked for by name before it is revoked, in ms. */
const inUseMs = 3_600_000;

/** The organization's API keys. Their secrets are shown once, when they are made. */
export function Keys() {
  const list = useList('/api-keys');
  const isAdmin = useMe().data?.role === 'admin';
  const [isCreating, setCreating] = useState(false);
  const [revoked, setRevoked] = useState<Key>();
  const create = (
    <Button kind="main" disabled={!isAdmin} onClick={() => setCreating(true)}>
      New key
    </Button>
  );
  return (
    <>
      {!isAdmin && <p>Admins create and revoke keys.</p>}
      <Grid
        name="keys"
        label="API keys"
        noun="key"
        list={list}
        idOf={({ id }) => id}
        nameOf={({ name }) => name}
        tools={create}
        columns={[
          { id: 'name', name: 'Name', width: 180, cell: ({ name }) => <span>{name}</span> },
          { id: 'prefix', name: 'Starts with', cell: ({ prefix }) => <code>{prefix}…</code> },
          { id: 'role', name: 'Role', width: 90, cell: ({ role }) => role },
          {
            id: 'createdAt',
            name: 'Created',
            cell: ({ createdAt }) => <Time at={createdAt} />,
          },
          {
            id: 'lastUsedAt',
            name: 'Last used',
            cell: ({ lastUsedAt }) => (lastUsedAt ? <Time at={lastUsedAt} /> : 'never'),
          },
          {
            id: 'expiresAt',
            name: 'Expires',
            cell: ({ expiresAt }) => (expiresAt ? <Time at={expiresAt} /> : 'never'),
          },
          {
            id: 'revoke',
            name: 'Revoke',
            width: 100,
            cell: (key) => (
              <Button kind="quiet" disabled={!isAdmin} onClick={() => setRevoked(key)}>
                Revoke
              </Button>
            ),
          },
        ]}
        empty={
          <Empty title="No keys" action={create}>
            Programs prove by an API key that they may use this organization.
          </Empty>
        }
      />
      {isCreating && <NewKey onClose={() => setCreating(false)} />}
      {revoked && <RevokeKey apiKey={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}

function NewKey({ onClose }: { onClose: () => void }) {
  const create = useChange('POST', '/api-keys', { refreshes: ['/api-keys'] });
  const { key, role } = create.data ?? {};
  if (key)
    return (
      <Dialog title="Store the key now">
        <p>This is the only time that it is shown. Whoever has it acts in your name, as {role}.</p>
        <Snippet code={key} />
        <p>In a terminal:</p>
        <Snippet code={`export ASSAY_API_KEY=${key}\n${curl('GET', '/projects')}`} />
        <Actions>
          <Button kind="main" onClick={onClose}>
            I have stored it
          </Button>
        </Actions>
      </Dialog>
    );
  return (
    <FormDialog
      title="New API key"
      button="Create"
      change={create}
      onClose={onClose}
      submit={(form) => {
        const day = `${form.get('expiresAt')}`;
        create.mutate({
          body: {
            name: `${form.get('name')}`,
            role: form.get('role') === 'admin' ? 'admin' : 'member',
            ...(day ? { expiresAt: new Date(`${day}T23:59:59`).toISOString() } : {}),
          },
        });
      }}
    >
      <Field
        label="Name"
        name="name"
        required
        placeholder="CI"
        problem={problemAt(create.error, '/name')}
      />
      <Choice label="Role" name="role" defaultValue="member">
        <option value="member">Member</option>
        <option value="admin">Admin: also members and keys</option>
      </Choice>
      <Field
        label="Expires on"
        name="expiresAt"
        type="date"
        hint="Empty: never."
        problem={problemAt(create.error, '/expiresAt')}
      />
    </FormDialog>
  );
}

function RevokeKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const revoke = useChange('DELETE', '/api-keys/:apiKeyId', { refreshes: ['/api-keys'] });
  const [typed, setTyped] = useState('');
  const { id, name, lastUsedAt } = apiKey;
  const isInUse = lastUsedAt !== null && Date.now() - Date.parse(lastUsedAt) < inUseMs;
  return (
    <FormDialog
      title={`Revoke ${name}`}
      button="Revoke"
      isDangerous
      isDisabled={isInUse && typed !== name}
      change={revoke}
      onClose={onClose}
      submit={() => revoke.mutate({ params: { apiKeyId: id } }, { onSuccess: onClose })}
    >
      <p>Within a second no request with this key is answered any more. It cannot be undone.</p>
      {isInUse && (
        <Field
          label={`It was used within the last hour. Type its name to revoke it: ${name}`}
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
      )}
    </FormDialog>
  );
}
