import { formatMean, formatShare } from '../text/format.ts';
import styles from './rate.module.css';

interface Interval {
  low: number | null;
  high: number | null;
}

/** A pass rate or a mean, with its interval as a thin bar below. */
export function Rate({
  passRate,
  mean,
  interval,
  scale = { min: 0, max: 1 },
}: {
  passRate: number | null;
  mean: number | null;
  interval?: Interval | undefined;
  /** The least and the greatest value there can be. */
  scale?: { min: number; max: number };
}) {
  const value = passRate ?? mean;
  if (value === null) return <span className={styles.none}>–</span>;
  const write = passRate === null ? formatMean : formatShare;
  const at = (one: number) => (100 * (one - scale.min)) / (scale.max - scale.min);
  const { low = null, high = null } = interval ?? {};
  return (
    <span
      className={styles.rate}
      title={
        low === null || high === null
          ? undefined
          : `${write(value)} (${write(low)} to ${write(high)})`
      }
    >
      <span>{write(value)}</span>
      <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
        <rect className={styles.scale} width="100" height="4" y="0" />
        <rect className={styles.value} width={at(value)} height="4" />
        {low !== null && high !== null && (
          <rect
            className={styles.interval}
            x={at(low)}
            width={Math.max(0.8, at(high) - at(low))}
            y="1"
            height="2"
          />
        )}
      </svg>
    </span>
  );
}
