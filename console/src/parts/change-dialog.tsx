import type { ReactNode } from 'react';
import { formatCount } from '../text/format.ts';
import { FormDialog } from './form-dialog.tsx';

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
    <FormDialog
      title={title}
      button={button}
      isDangerous={isDangerous}
      cancel={isSuccess ? 'Close' : 'Cancel'}
      change={change}
      submit={submit}
      onClose={onClose}
    >
      {children}
      <p role="status">
        {done !== undefined && (isPending || error) && `${formatCount(done)} of ${whole}`}
        {isSuccess && `✓ ${whole} ${said}`}
      </p>
    </FormDialog>
  );
}
