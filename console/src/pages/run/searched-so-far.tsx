import { Button } from '../../parts/button.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import styles from './run.module.css';
import type { SearchProgress } from './use-record-search.ts';

/** How many records a search has looked at, with the way to stop it and to go on. */
export function SearchedSoFar(progress: SearchProgress) {
  const { searched, total, isSearching, isStopped, stop, goOn } = progress;
  return (
    <div className={styles.searched}>
      <p role="status">
        {isStopped && 'Stopped. '}
        {total === undefined
          ? isSearching && 'Searching …'
          : `Searched ${formatCount(searched)} of ${countOf(total, 'record')}.`}
      </p>
      {isStopped ? (
        <Button kind="quiet" onClick={goOn}>
          Continue searching
        </Button>
      ) : (
        isSearching && (
          <Button kind="quiet" onClick={stop}>
            Stop searching
          </Button>
        )
      )}
    </div>
  );
}
