import { publicPath } from '../../api/public-path.ts';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { ChoiceOfCode } from '../../parts/choice-of-code.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { curl } from '../../text/commands.ts';
import { gateOfGitHub, gateOfGitLab } from '../../text/gate-lines.ts';
import { chosenRole, roleInWords, roleSentence } from '../../text/roles.ts';
import { RoleChoice } from './role-choice.tsx';
import styles from './settings.module.css';

/** Makes a key, and shows it once. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useChange('POST', '/api-keys', { refreshes: ['/api-keys'] });
  const { key, role = 'member' } = create.data ?? {};
  if (key) return <MadeKey secret={key} role={role} onClose={onClose} />;
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
            role: chosenRole(form),
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
      <RoleChoice chosen="member" />
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

/** The secret, which is in no other place; only its button closes it. */
function MadeKey({ secret, role, onClose }: { secret: string; role: string; onClose: () => void }) {
  return (
    <Dialog title="Store the key now">
      <p>This is the only time that it is shown.</p>
      <div className={styles.secret}>
        <Snippet code={secret} />
      </div>
      <p>
        <strong>{roleInWords(role)}.</strong> {roleSentence(role)} Whoever has the key does so in
        your name.
      </p>
      <KeyUses />
      <Actions>
        <Button kind="main" onClick={onClose}>
          I have stored it
        </Button>
      </Actions>
    </Dialog>
  );
}

/** The lines that use a key, which is never in them. */
function KeyUses() {
  const url = `${location.origin}${publicPath}`;
  const guide = <a href={`${publicPath}/docs/guides/gate-in-ci`}>Gate a pull request</a>;
  return (
    <ChoiceOfCode
      label="Where the key is used"
      tabs={[
        {
          name: 'GitHub Actions',
          about: (
            <>
              Store the key as the secret <code>ASSAY_API_KEY</code>: <em>Settings</em>,{' '}
              <em>Secrets and variables</em>, <em>Actions</em>, <em>New repository secret</em>. This
              workflow fails a pull request that makes your system worse ({guide}).
            </>
          ),
          code: gateOfGitHub(url),
        },
        {
          name: 'GitLab CI',
          about: (
            <>
              Store the key as the variable <code>ASSAY_API_KEY</code>, masked: <em>Settings</em>,{' '}
              <em>CI/CD</em>, <em>Variables</em>. This job fails a merge request that makes your
              system worse ({guide}).
            </>
          ),
          code: gateOfGitLab(url),
        },
        {
          name: 'Terminal',
          about: 'The first line asks for the key, so that it is in no history.',
          code: `read -rs ASSAY_API_KEY && export ASSAY_API_KEY\n${curl('GET', '/projects')}`,
        },
      ]}
    />
  );
}
