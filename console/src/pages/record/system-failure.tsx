import type { SystemError } from '@assay/contracts/run-records';
import { visible } from '../../text/format.ts';
import styles from './record.module.css';

/** Why the system gave no answer, and where it happened. */
export function SystemFailure({
  error: { name = 'Error', message, stack, status },
  attempts = 1,
}: {
  error: SystemError;
  attempts?: number | undefined;
}) {
  return (
    <section className={styles.failure} aria-label="Error of the system">
      <h2>Error of the system</h2>
      <p>
        <strong>{visible(name)}</strong>: {visible(message)}
        {status !== undefined && ` (status ${status})`}
        {attempts > 1 && `, after ${attempts} calls`}
      </p>
      {stack !== undefined && (
        <details>
          <summary>Where it happened</summary>
          <pre>{visible(stack)}</pre>
        </details>
      )}
    </section>
  );
}
