import { type ReactNode, useRef } from 'react';
import { Button } from './button.tsx';
import { Actions, Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

/** Within it, a second press with the same fields is no other one. */
const doublePressMs = 400;

/** A dialog with a form: its fields, why it was refused, and the buttons that send and close it. */
export function FormDialog({
  title,
  button,
  isDangerous = false,
  isDisabled = false,
  cancel = 'Cancel',
  change: { isPending, isSuccess = false, error },
  submit,
  onClose,
  children,
}: {
  title: string;
  button: string;
  isDangerous?: boolean;
  /** Whether it cannot be sent yet. */
  isDisabled?: boolean;
  cancel?: string;
  change: { isPending: boolean; isSuccess?: boolean; error: Error | null };
  submit: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}) {
  const sent = useRef('');
  /** Pressed twice is meant once; the button is disabled as soon as the change is seen. */
  const submitOnce = (form: FormData) => {
    const content = JSON.stringify([...form]);
    if (isPending || sent.current === content) return;
    sent.current = content;
    setTimeout(() => {
      sent.current = '';
    }, doublePressMs);
    submit(form);
  };
  return (
    <Dialog title={title} isSaved={isSuccess} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submitOnce(new FormData(event.currentTarget));
        }}
      >
        {children}
        {error && <Problem error={error} />}
        <Actions>
          <Button onClick={onClose}>{cancel}</Button>
          <Button
            kind={isDangerous ? 'danger' : 'main'}
            type="submit"
            isBusy={isPending}
            disabled={isDisabled}
          >
            {button}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
