import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Actions, Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

/** A dialog with a form: its fields, why it was refused, and the buttons that send and close it. */
export function FormDialog({
  title,
  button,
  isDangerous = false,
  cancel = 'Cancel',
  change: { isPending, error },
  submit,
  onClose,
  children,
}: {
  title: string;
  button: string;
  isDangerous?: boolean;
  cancel?: string;
  change: { isPending: boolean; error: Error | null };
  submit: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit(new FormData(event.currentTarget));
        }}
      >
        {children}
        {error && <Problem error={error} />}
        <Actions>
          <Button onClick={onClose}>{cancel}</Button>
          <Button kind={isDangerous ? 'danger' : 'main'} type="submit" isBusy={isPending}>
            {button}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
