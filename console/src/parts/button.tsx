import { Link, type LinkComponentProps } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import styles from './button.module.css';

type Kind = 'main' | 'plain' | 'quiet' | 'danger';

/** A button; `main` is the one thing to do on a page. */
export function Button({
  kind = 'plain',
  isBusy = false,
  className = '',
  ...rest
}: ComponentProps<'button'> & { kind?: Kind; isBusy?: boolean }) {
  return (
    <button
      type="button"
      {...rest}
      className={`${styles.button} ${styles[kind]} ${className}`}
      data-main={kind === 'main' || undefined}
      aria-busy={isBusy || undefined}
      disabled={rest.disabled || isBusy}
    />
  );
}

/** A link that looks like a button. */
export function ButtonLink({ kind = 'plain', ...rest }: LinkComponentProps & { kind?: Kind }) {
  return (
    <Link
      {...rest}
      className={`${styles.button} ${styles[kind]}`}
      data-main={kind === 'main' || undefined}
    />
  );
}
