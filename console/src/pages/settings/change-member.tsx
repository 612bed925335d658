import type { ItemOf } from '@assay/client/operations';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { chosenRole } from '../../text/roles.ts';
import { OnceLink } from './once-link.tsx';
import { RoleChoice } from './role-choice.tsx';

interface MemberDialogProps {
  member: ItemOf<'/members'>;
  onClose: () => void;
}

/** Changes a member's name and role, or removes the member. */
export function ChangeMember({ member, onClose }: MemberDialogProps) {
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
              role: chosenRole(form),
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

function RemoveMember({ member, onClose }: MemberDialogProps) {
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
        them stop. Links that they made for others end, too. What they made in projects stays.
      </p>
    </FormDialog>
  );
}

/** Makes a link for a member who has no way in, such as one who lost a key. */
export function SignInLink({ member: { userId, email }, onClose }: MemberDialogProps) {
  const make = useChange('POST', '/members/:userId/sign-in-link', {});
  if (make.data?.link)
    return (
      <OnceLink
        title={`Give this link to ${email}`}
        link={make.data.link}
        expiresAt={make.data.expiresAt}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title={`A sign-in link for ${email}`}
      button="Make the link"
      change={make}
      onClose={onClose}
      submit={() => make.mutate({ params: { userId } })}
    >
      <p>
        It signs one browser in as this member, within a day. Give it to nobody else: they would
        work under this name. A link that you made for this member before ends.
      </p>
    </FormDialog>
  );
}
