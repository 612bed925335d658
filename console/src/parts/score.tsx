import { formatMean, visible } from '../text/format.ts';
import styles from './score.module.css';

/** What a score says: its sign, its word and its colour belong together, and never stand alone. */
export const outcomes = {
  pass: { sign: '✓', text: 'pass' },
  fail: { sign: '✗', text: 'fail' },
  failed: { sign: '!', text: 'not scored' },
  pending: { sign: '…', text: 'pending' },
  awaited: { sign: '◌', text: 'waits for a person' },
  stopped: { sign: '–', text: 'not needed' },
  errored: { sign: '⚠', text: 'error' },
  notApplicable: { sign: '–', text: 'does not apply' },
  unjudged: { sign: '·', text: 'without a threshold' },
  invalid: { sign: '!', text: 'does not fit' },
  // The word for it in the records of a trace.
  unfit: { sign: '!', text: 'does not fit' },
} as const;

export type Outcome = keyof typeof outcomes;

/**
 * One score in a cell: a number with its sign where it has one, else the word, and the code of a
 * failure.
 */
export function OutcomeMark({
  outcome,
  value,
  code,
  message,
}: {
  outcome: Outcome;
  value?: number | null;
  code?: string | undefined;
  message?: string | undefined;
}) {
  const { sign, text } = outcomes[outcome];
  return (
    <span className={`${styles.outcome} ${styles[outcome]}`} title={message && visible(message)}>
      <span aria-hidden="true">{sign}</span>
      {typeof value === 'number' ? (
        <>
          {Number.isInteger(value) ? value : formatMean(value)}
          <span className="for-screen-readers"> {text}</span>
        </>
      ) : (
        text
      )}
      {code && <code>{code}</code>}
    </span>
  );
}
