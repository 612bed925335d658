import { useChange } from '../../api/query.ts';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { chosenRole } from '../../text/roles.ts';
import { OnceLink } from './once-link.tsx';
import { RoleChoice } from './role-choice.tsx';

/** Invites a person: whom and as what, and then the link. */
export function Invite({ onClose }: { onClose: () => void }) {
  const create = useChange('POST', '/invitations', { refreshes: ['/invitations'] });
  if (create.data?.link)
    return (
      <OnceLink
        title={`Give this link to ${create.data.email}`}
        link={create.data.link}
        expiresAt={create.data.expiresAt}
        onClose={onClose}
      />
    );
  return (
    <FormDialog
      title="Invite a person"
      button="Invite"
      change={create}
      onClose={onClose}
      submit={(form) => {
        const name = `${form.get('name')}`.trim();
        create.mutate({
          body: {
            email: `${form.get('email')}`,
            role: chosenRole(form),
            ...(name ? { name } : {}),
          },
        });
      }}
    >
      <Field
        label="E-mail address"
        name="email"
        type="email"
        required
        problem={problemAt(create.error, '/email')}
      />
      <Field
        label="Name"
        name="name"
        hint="As others see it. May be left out."
        problem={problemAt(create.error, '/name')}
      />
      <RoleChoice chosen="member" />
    </FormDialog>
  );
}
