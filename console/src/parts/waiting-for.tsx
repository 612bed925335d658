import type { ReplyOf } from '@assay/client/operations';
import { formatInstant } from '../text/format.ts';
import styles from './waiting-for.module.css';

type Waiting = ReplyOf<'GET', '/judges'>['waitingFor'];

/** The models whose provider is away, why, and when it is asked next. */
export function WaitingFor({ models = [] }: { models: Waiting }) {
  if (models.length === 0) return null;
  return (
    <ul className={styles.waiting} aria-label="Providers that are away">
      {models.map(({ model, message, since, nextProbeAt }) => (
        <li key={model}>
          ! <code>{model}</code> is away since {formatInstant(since)}: {message} Scores wait for it,
          and fail only after five requests. Next try: {formatInstant(nextProbeAt)}.
        </li>
      ))}
    </ul>
  );
}
