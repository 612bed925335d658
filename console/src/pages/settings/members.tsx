import type { ItemOf } from '@assay/client/operations';
import { type ReactNode, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Grid } from '../../parts/grid/grid.tsx';
import { Time } from '../../parts/time.tsx';
import { roleInWords } from '../../text/roles.ts';
import { ChangeMember, SignInLink } from './change-member.tsx';
import { ImportedPeople, useHasImported } from './imported-people.tsx';
import { Invite } from './invite.tsx';
import { OpenInvitations } from './open-invitations.tsx';

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
  const [isInviting, setInviting] = useState(false);
  const [signedIn, setSignedIn] = useState<Member>();
  const [changed, setChanged] = useState<Member>();
  return (
    <>
      {!isAdmin && <p>Admins invite people, and change and remove members.</p>}
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
            <Button kind="main" disabled={!isAdmin} onClick={() => setInviting(true)}>
              Invite
            </Button>
          </>
        }
        columns={[
          { id: 'email', name: 'E-mail', width: 220, cell: ({ email }) => <span>{email}</span> },
          { id: 'name', name: 'Name', width: 180, cell: ({ name }) => <span>{name}</span> },
          { id: 'role', name: 'Role', width: 210, cell: ({ role }) => roleInWords(role) },
          {
            id: 'lastSeenAt',
            name: 'Last seen',
            cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : 'never'),
          },
          { id: 'createdAt', name: 'Added', cell: ({ createdAt }) => <Time at={createdAt} /> },
          {
            id: 'signIn',
            name: 'Sign-in link',
            width: 180,
            cell: (member) => (
              <Button kind="quiet" disabled={!isAdmin} onClick={() => setSignedIn(member)}>
                Make a sign-in link
              </Button>
            ),
          },
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
      <OpenInvitations isAdmin={isAdmin} />
      {isInviting && <Invite onClose={() => setInviting(false)} />}
      {signedIn && <SignInLink member={signedIn} onClose={() => setSignedIn(undefined)} />}
      {changed && <ChangeMember member={changed} onClose={() => setChanged(undefined)} />}
    </>
  );
}
