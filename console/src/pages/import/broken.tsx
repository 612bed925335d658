import { countOf, visible } from '../../text/format.ts';
import styles from './import.module.css';
import type { ImportState } from './use-import.ts';

/** Why an import did not come to its end, and how it goes on. */
export function Broken({ state, isWhole = false }: { state: ImportState; isWhole?: boolean }) {
  if (state.phase !== 'broken') return null;
  const { failure, stored } = state;
  const remedy = isWhole
    ? 'Look whether the project is there before you import it again.'
    : `${stored > 0 ? `${countOf(stored, 'record')} ${stored === 1 ? 'is' : 'are'} stored. ` : ''}What is stored stays. Import again, and it goes on with the rest: nothing is stored twice.`;
  return (
    <p role="alert" className={styles.problem}>
      {failure === 'stopped' && 'Stopped. '}
      {failure !== 'stopped' && failure.kind === 'away' && 'The server could not be reached. '}
      {failure !== 'stopped' && failure.kind !== 'away' && `${visible(failure.message)} `}
      {remedy}
    </p>
  );
}
