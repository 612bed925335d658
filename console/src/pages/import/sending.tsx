import { Button } from '../../parts/button.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import styles from './import.module.css';
import type { ImportState } from './use-import.ts';

/** An import under way. */
export function Sending({
  state: { found, done, isAway },
  stop,
}: {
  state: Extract<ImportState, { phase: 'sending' }>;
  stop: () => void;
}) {
  const counts = found.kind === 'source' ? found.overview.counts : undefined;
  const all = counts ? counts.testcase + counts.record : 0;
  return (
    <>
      <h2>Importing …</h2>
      <div className={styles.progress}>
        <progress {...(counts ? { max: all, value: done } : {})} aria-label="Imported" />
        <Button onClick={stop}>Stop</Button>
      </div>
      <p role="status">
        {isAway
          ? 'The server is away. It is asked again, and nothing is imported twice.'
          : counts && `${formatCount(done)} of ${countOf(all, 'row')}`}
      </p>
    </>
  );
}
