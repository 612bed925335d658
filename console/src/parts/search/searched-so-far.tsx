import { Button } from '../button.tsx';
import styles from './search.module.css';
import type { SearchState } from './use-text-search.ts';

/** How far a search is, with the way to stop it and to continue. */
export function SearchedSoFar({
  state: { isSearching, isStopped, stop, goOn },
  progress,
}: {
  state: SearchState;
  /** A sentence; undefined until the first page is there. */
  progress: string | undefined;
}) {
  return (
    <div className={styles.searched}>
      <p role="status">
        {isStopped && 'Stopped. '}
        {progress ?? (isSearching && 'Searching …')}
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
