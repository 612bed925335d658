import { lossSentence } from '@assay/import/sending/report';
import { formatCount, visible } from '../../text/format.ts';
import styles from './import.module.css';
import type { Loss } from './overview.ts';

/** Losses that are shown; all are in the report. */
const shownMax = 100;

const sentenceEnds = {
  ahead: ['cannot be carried as it is', 'cannot be carried as they are'],
  over: ['was not carried, or not as it was', 'were not carried, or not as they were'],
};

/** Losses, each reason with its first place. */
export function Losses({ losses, isOver = false }: { losses: Loss[]; isOver?: boolean }) {
  if (losses.length === 0) return null;
  const others = losses.length - shownMax;
  return (
    <details className={styles.losses} open={losses.length <= 5}>
      <summary>
        {losses.length === 1 ? '1 thing' : `${formatCount(losses.length)} things`}{' '}
        {sentenceEnds[isOver ? 'over' : 'ahead'][losses.length === 1 ? 0 : 1]}
      </summary>
      <ul>
        {losses.slice(0, shownMax).map((loss) => (
          <li key={loss.reason}>{visible(lossSentence(loss))}</li>
        ))}
        {others > 0 && <li>And {formatCount(others)} others.</li>}
      </ul>
    </details>
  );
}
