import { useState } from 'react';
import { Button } from '../button.tsx';
import { Actions } from '../dialog.tsx';
import { Field } from '../field.tsx';
import { Problem } from '../problem.tsx';

/** Takes an API key, and forgets it once the session is made. */
export function SignInForm({ signIn }: { signIn: (key: string) => Promise<unknown> }) {
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = (form: HTMLFormElement) => {
    setBusy(true);
    signIn(String(new FormData(form).get('key')).trim())
      .then(() => setError(null), setError)
      .finally(() => setBusy(false));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit(event.currentTarget);
      }}
    >
      <Field
        label="API key"
        name="key"
        type="password"
        autoComplete="current-password"
        required
        autoFocus
        placeholder="ak_…"
        hint="It becomes a session of this browser; the key itself is not kept."
      />
      {error && <Problem error={error} />}
      <Actions>
        <Button kind="main" type="submit" isBusy={isBusy}>
          Sign in
        </Button>
      </Actions>
    </form>
  );
}
