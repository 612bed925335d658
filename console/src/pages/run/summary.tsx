import { formatCount, formatMean, formatShare } from '../../text/format.ts';
import type { MetricSummary } from './metric-cards.tsx';
import { Repeats } from './repeats.tsx';
import styles from './run.module.css';

const orNone = (value: number | null, write: (value: number) => string): string =>
  value === null ? '–' : write(value);

/** Every figure of a run's results, and how each interval was made. */
export const Summary = ({ metrics }: { metrics: MetricSummary[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by the keyboard.
  <section className={styles.scroll} tabIndex={0} aria-label="Figures">
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">Testcases</th>
          <th scope="col">Records</th>
          <th scope="col">Failed</th>
          <th scope="col">Pass rate</th>
          <th scope="col">Mean</th>
          <th scope="col">Standard deviation</th>
          <th scope="col">Interval</th>
          <th scope="col">Method</th>
        </tr>
      </thead>
      <tbody>
        {metrics.map((metric) => (
          <tr key={metric.metricVersionId}>
            <th scope="row">{metric.name}</th>
            <td>{formatCount(metric.count)}</td>
            <td>{formatCount(metric.records)}</td>
            <td>{formatCount(metric.failed)}</td>
            <td>{orNone(metric.passRate, formatShare)}</td>
            <td>{orNone(metric.mean, formatMean)}</td>
            <td>{orNone(metric.standardDeviation, formatMean)}</td>
            <td>
              {metric.confidenceInterval
                ? `${metric.confidenceInterval.low.toFixed(3)} to ${metric.confidenceInterval.high.toFixed(3)}`
                : '–'}
            </td>
            <td>{metric.method}</td>
          </tr>
        ))}
      </tbody>
    </table>
    {metrics.map(
      (metric) =>
        metric.repeats && (
          <Repeats key={metric.metricVersionId} metric={metric} repeats={metric.repeats} />
        ),
    )}
  </section>
);
