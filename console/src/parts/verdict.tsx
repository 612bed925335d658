import { type Verdict, verdicts } from '../text/verdicts.ts';
import styles from './verdict.module.css';

/** The verdict on a difference: its sign, its word and its colour. */
export const VerdictMark = ({ verdict }: { verdict: Verdict }) => (
  <span className={`${styles.verdict} ${styles[verdict]}`}>
    <span aria-hidden="true">{verdicts[verdict].sign}</span> {verdicts[verdict].text}
  </span>
);
