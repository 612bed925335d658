import { type ComponentProps, type ReactNode, useId } from 'react';
import { ApiError, type Issue } from '../api/request.ts';
import styles from './field.module.css';

interface FieldProps {
  label: string;
  hint?: ReactNode;
  /** What is wrong with the value; shown at the field. */
  problem?: string | undefined;
}

/** A labelled text field, or with `rows` a text area. */
export function Field({
  label,
  hint,
  problem,
  ...rest
}: FieldProps & ComponentProps<'input'> & { rows?: number }) {
  const id = useId();
  const described = { 'aria-describedby': `${id}-hint ${id}-problem`, 'aria-invalid': !!problem };
  return (
    <Labelled {...{ id, label, hint, problem }}>
      {rest.rows ? (
        <textarea
          {...(rest as ComponentProps<'textarea'>)}
          {...described}
          id={id}
          className={styles.input}
        />
      ) : (
        <input {...rest} {...described} id={id} className={styles.input} />
      )}
    </Labelled>
  );
}

/** A labelled choice of one. */
export function Choice({ label, hint, problem, ...rest }: FieldProps & ComponentProps<'select'>) {
  const id = useId();
  return (
    <Labelled {...{ id, label, hint, problem }}>
      <select
        {...rest}
        id={id}
        className={styles.input}
        aria-describedby={`${id}-hint ${id}-problem`}
        aria-invalid={!!problem}
      />
    </Labelled>
  );
}

/** A control with its label, a hint and what is wrong with it, which it names by the same ids. */
export function Labelled({
  id,
  label,
  hint,
  problem,
  children,
}: FieldProps & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children}
      <p id={`${id}-hint`} className={styles.hint} hidden={!hint}>
        {hint}
      </p>
      <p id={`${id}-problem`} className={styles.problem} role="alert" hidden={!problem}>
        {problem}
      </p>
    </div>
  );
}

/**
 * Returns what the API says is wrong with one field, such as `/name`; undefined if nothing, so that
 * the rest of a refusal is shown beside the form.
 */
export function problemAt(error: Error | null, path: string): string | undefined {
  return issuesOf(error).find((issue) => issue.path === path)?.message;
}

const issuesOf = (error: Error | null): Issue[] =>
  error instanceof ApiError ? (error.details.issues ?? []) : [];
