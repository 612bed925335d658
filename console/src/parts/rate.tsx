import type { MetricResult } from '../api/run-results.ts';
import { formatMean, formatShare } from '../text/format.ts';
import styles from './rate.module.css';

/** A pass rate of booleans or a mean of numbers, with its interval as a thin bar below. */
export function Rate({ result }: { result: MetricResult }) {
  const { outputType, passRate, mean, confidenceInterval: interval } = result;
  const isShare = outputType === 'boolean' && passRate !== null;
  const value = isShare ? passRate : mean;
  if (value === null) return <span className={styles.none}>–</span>;
  const write = isShare ? formatShare : formatMean;
  const scale = outputType === 'int' ? { min: 1, max: 5 } : { min: 0, max: 1 };
  const at = (one: number) => (100 * (one - scale.min)) / (scale.max - scale.min);
  return (
    <span
      className={styles.rate}
      title={
        interval ? `${write(value)} (${write(interval.low)} to ${write(interval.high)})` : undefined
      }
    >
      <span>{write(value)}</span>
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
    </span>
  );
}
