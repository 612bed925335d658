import type { ReactNode } from 'react';
import { formatCount } from '../text/format.ts';
import { Button } from './button.tsx';
import { Actions, Dialog } from './dialog.tsx';
import { Problem } from './problem.tsx';

/** A change of things that are selected: its fields, its progress, and its outcome. */
export function ChangeDialog({
  title,
  button,
  isDangerous = false,
  change,
  whole,
  submit,
  said = '',
  onClose,
  children,
}: {
  title: string;
  button: string;
  isDangerous?: boolean;
  change: { isPending: boolean; isSuccess: boolean; error: Error | null; done?: number };
  /** The changed things, such as `12 records`. */
  whole: string;
  submit: (form: FormData) => void;
  /** Their outcome. */
  said?: string;
  onClose: () => void;
  children: ReactNode;
}) {
  const { isPending, isSuccess, error, done } = change;
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
        <p role="status">
          {done !== undefined && (isPending || error) && `${formatCount(done)} of ${whole}`}
          {isSuccess && `✓ ${whole} ${said}`}
        </p>
        <Actions>
          <Button onClick={onClose}>{isSuccess ? 'Close' : 'Cancel'}</Button>
          <Button kind={isDangerous ? 'danger' : 'main'} type="submit" isBusy={isPending}>
            {button}
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
