import { formatCount, formatMean, formatShare } from '../../text/format.ts';
import { Repeats } from './repeats.tsx';
import styles from './run.module.css';
import type { ErrorsSummary, MetricSummary } from './run-summary.ts';

const orNone = (value: number | null, write: (value: number) => string): string =>
  value === null ? '–' : write(value);

/** Every figure of a run's results, and how each interval was made. */
export const Summary = ({
  metrics,
  errors,
}: {
  metrics: MetricSummary[];
  errors: ErrorsSummary | undefined;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by the keyboard.
  <section className={styles.scroll} tabIndex={0} aria-label="Figures">
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">Metric</th>
          <th scope="col">Testcases</th>
          <th scope="col">Records</th>
          <th scope="col">Failed</th>
          <th scope="col">Errors</th>
          <th scope="col">Do not fit</th>
          <th scope="col">Do not apply</th>
          <th scope="col">Pass rate</th>
          <th scope="col">Mean</th>
          <th scope="col">Standard deviation</th>
          <th scope="col">Interval</th>
          <th scope="col">Method</th>
        </tr>
      </thead>
      <tbody>
        {metrics.map((metric) => (
          <Figures key={metric.metricVersionId} name={metric.name} figures={metric} />
        ))}
        {errors && <Figures name="Errors" figures={{ ...errors, passRate: null }} />}
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

/** A row of figures: those of a metric, or how often the system failed. */
const Figures = ({ name, figures }: { name: string; figures: ErrorsSummary }) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{formatCount(figures.count)}</td>
    <td>{formatCount(figures.records)}</td>
    <td>{formatCount(figures.failed)}</td>
    <td>{formatCount(figures.errored)}</td>
    <td>{formatCount(figures.invalid)}</td>
    <td>{formatCount(figures.notApplicable)}</td>
    <td>{orNone(figures.passRate, formatShare)}</td>
    <td>{orNone(figures.mean, formatMean)}</td>
    <td>{orNone(figures.standardDeviation, formatMean)}</td>
    <td>
      {figures.confidenceInterval
        ? `${figures.confidenceInterval.low.toFixed(3)} to ${figures.confidenceInterval.high.toFixed(3)}`
        : '–'}
    </td>
    <td>{figures.method}</td>
  </tr>
);
