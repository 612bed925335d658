import type { ItemOf } from '@assay/client/operations';
import { useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
import { roleInWords } from '../../text/roles.ts';
import { OnceLink } from './once-link.tsx';
import styles from './open-invitations.module.css';

type Invitation = ItemOf<'/invitations'>;

/** The invitations that nobody has accepted yet. The organization has at most one page of them. */
export function OpenInvitations({ isAdmin }: { isAdmin: boolean }) {
  const { data, error, refetch } = useReading('/invitations', { query: { limit: 100 } });
  const [renewed, setRenewed] = useState<Invitation>();
  const [withdrawn, setWithdrawn] = useState<Invitation>();
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  const invitations = data?.data ?? [];
  return (
    <>
      {invitations.length > 0 && (
        <section aria-labelledby="invitations">
          <h2 id="invitations">Open invitations</h2>
          <ul className={styles.list}>
            {invitations.map((invitation) => (
              <li key={invitation.id} className={styles.invitation}>
                <div className={styles.person}>
                  <span>{visible(invitation.email)}</span>
                  {invitation.name && <span>{visible(invitation.name)}</span>}
                  <small>{roleInWords(invitation.role)}</small>
                  <small>
                    invited <Time at={invitation.createdAt} />, expires{' '}
                    <Time at={invitation.expiresAt} />
                  </small>
                </div>
                <Button kind="quiet" disabled={!isAdmin} onClick={() => setRenewed(invitation)}>
                  Make another link
                </Button>
                <Button kind="quiet" disabled={!isAdmin} onClick={() => setWithdrawn(invitation)}>
                  Withdraw
                </Button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {renewed && <AnotherLink invitation={renewed} onClose={() => setRenewed(undefined)} />}
      {withdrawn && <Withdraw invitation={withdrawn} onClose={() => setWithdrawn(undefined)} />}
    </>
  );
}

interface InvitationDialogProps {
  invitation: Invitation;
  onClose: () => void;
}

function AnotherLink({ invitation: { id, email }, onClose }: InvitationDialogProps) {
  const renew = useChange('POST', '/invitations/:invitationId/link', {
    refreshes: ['/invitations'],
  });
  if (renew.data?.link)
    return (
      <OnceLink
        title={`Give this link to ${email}`}
        link={renew.data.link}
        expiresAt={renew.data.expiresAt}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={`Another link for ${email}`}
      button="Make another link"
      change={renew}
      onClose={onClose}
      submit={() => renew.mutate({ params: { invitationId: id } })}
    >
      <p>The link that you gave before ends. The new one works for seven days.</p>
    </FormDialog>
  );
}

function Withdraw({ invitation: { id, email }, onClose }: InvitationDialogProps) {
  const withdraw = useChange('DELETE', '/invitations/:invitationId', {
    refreshes: ['/invitations'],
  });
  return (
    <FormDialog
      title={`Withdraw the invitation of ${email}`}
      button="Withdraw"
      isDangerous
      change={withdraw}
      onClose={onClose}
      submit={() => withdraw.mutate({ params: { invitationId: id } }, { onSuccess: onClose })}
    >
      <p>The link ends at once. You can invite them again.</p>
    </FormDialog>
  );
}
