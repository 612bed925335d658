import { isNumeric, scaleOf } from '@assay/contracts/scale';
import type { Result } from '../api/run-results.ts';
import { formatMean, formatShare } from '../text/format.ts';
import styles from './rate.module.css';

/** The share of true booleans or the mean of numbers, with its interval as a thin bar below. */
export function Rate({ result }: { result: Result }) {
  const { mean: value, confidenceInterval: interval } = result;
  if (value === null) return <span className={styles.none}>–</span>;
  const write = isNumeric(result.outputType) ? formatMean : formatShare;
  const { low, high } = scaleOf(result);
  const isBounded = Number.isFinite(high - low);
  const at = (one: number) => (100 * (one - low)) / (high - low);
  return (
    <span
      className={styles.rate}
      title={
        interval ? `${write(value)} (${write(interval.low)} to ${write(interval.high)})` : undefined
      }
    >
      <span>{write(value)}</span>
      {isBounded && (
        <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
          <rect className={styles.scale} width="100" height="4" y="0" />
          <rect className={styles.value} width={at(value)} height="4" />
          {interval && (
            <rect
              className={styles.interval}
              x={at(interval.low)}
              width={Math.max(0.8, at(interval.high) - at(interval.low))}
              y="1"
              height="2"
            />
          )}
        </svg>
      )}
    </span>
  );
}
