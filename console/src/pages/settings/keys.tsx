import type { ItemOf } from '@assay/client/operations';
import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { useChange } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Field } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { Time } from '../../parts/time.tsx';
import { roleInWords } from '../../text/roles.ts';
import { NewKey } from './new-key.tsx';

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
          { id: 'role', name: 'Role', width: 210, cell: ({ role }) => roleInWords(role) },
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
