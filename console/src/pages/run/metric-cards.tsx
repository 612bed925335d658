import { isNumeric } from '@assay/contracts/scale';
import { Link } from '@tanstack/react-router';
import { Distribution } from '../../parts/distribution.tsx';
import { countOf, formatCount, formatMean, formatShare, visible } from '../../text/format.ts';
import { noRecordFilters } from './record-language.ts';
import styles from './run.module.css';
import type { ErrorsSummary, MetricSummary, RunSummary } from './run-summary.ts';

/** The results of a run: each metric with its interval and its distribution, and the errors. */
export const MetricCards = ({
  summary: { metrics, errors, warnings },
}: {
  summary: RunSummary;
}) => (
  <section
    aria-label="Results"
    className={styles.cards}
    hidden={metrics.length === 0 && !errors.mean}
  >
    {metrics.map((metric) => (
      <MetricCard key={metric.metricVersionId} metric={metric} />
    ))}
    {errors.mean !== null && errors.mean > 0 && (
      <ErrorsCard errors={errors} mean={errors.mean} warnings={warnings} />
    )}
  </section>
);

/** The place of the results while they are read, so that nothing below moves when they come. */
export const AwaitedCards = ({ count }: { count: number }) => (
  <div aria-hidden="true" className={styles.cards}>
    {Array.from({ length: count }, (_, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike
      <div key={place} className={`${styles.card} ${styles.awaited}`} />
    ))}
  </div>
);

/** How often the system failed, why, and as which value that counts. */
const ErrorsCard = ({
  errors: { confidenceInterval },
  mean,
  warnings = [],
}: {
  errors: ErrorsSummary;
  mean: number;
  warnings: RunSummary['warnings'];
}) => (
  <article className={styles.card}>
    <h2>Errors</h2>
    <p className={styles.headline}>
      <span className={styles.value}>{formatShare(mean)}</span>
    </p>
    {confidenceInterval && (
      <p className={styles.interval}>
        {formatShare(confidenceInterval.low)} to {formatShare(confidenceInterval.high)}
      </p>
    )}
    {warnings.map(({ code, message }) => (
      <p key={code}>{visible(message)}</p>
    ))}
    <p>
      <Link
        from="/projects/$projectId/runs/$runId"
        search={(before) => ({ ...before, ...noRecordFilters, tab: undefined, hasError: 'true' })}
        resetScroll={false}
      >
        Show these records
      </Link>
    </p>
  </article>
);

function MetricCard({ metric }: { metric: MetricSummary }) {
  const { name, passRate, mean, confidenceInterval, count, records, distribution } = metric;
  const { failed, errored, invalid, notApplicable, calibrated } = metric;
  const isShare = !isNumeric(metric.outputType);
  const write = isShare ? formatShare : formatMean;
  return (
    <article className={styles.card}>
      <h2>{name}</h2>
      <p className={styles.headline}>
        <span className={styles.value}>{mean === null ? '–' : write(mean)}</span>{' '}
        {isShare && metric.lowerIsBetter && <span>true, less is better</span>}
        {!isShare && passRate !== null && <span>{formatShare(passRate)} pass</span>}
      </p>
      <p className={styles.interval}>
        {confidenceInterval &&
          `${write(confidenceInterval.low)} to ${write(confidenceInterval.high)} · `}
        {records > count
          ? `${countOf(count, 'testcase')}, ${countOf(records, 'score')}`
          : countOf(records, errored > 0 ? 'record' : 'score')}
        {failed > 0 && ` · ${formatCount(failed)} not scored`}
        {errored > 0 && ` · ${countOf(errored, 'error')}`}
        {invalid > 0 && ` · ${formatCount(invalid)} ${invalid === 1 ? 'does' : 'do'} not fit`}
        {notApplicable > 0 &&
          ` · ${formatCount(notApplicable)} ${notApplicable === 1 ? 'does' : 'do'} not apply`}
      </p>
      {metric.warnings?.map(({ code, message }) => (
        <p key={code}>{message}</p>
      ))}
      {calibrated && <Correction calibrated={calibrated} write={write} isShare={isShare} />}
      {distribution.length > 0 && (
        <Distribution
          bins={distribution}
          isReversed={metric.lowerIsBetter}
          label={`Distribution of ${name}`}
          linkOf={({ value, low, high }, binName) => (
            <Link
              from="/projects/$projectId/runs/$runId"
              search={(before) => ({
                ...before,
                tab: undefined,
                metricVersionId: metric.metricVersionId,
                outcome: undefined,
                value: value === undefined ? undefined : String(value),
                min: low === undefined ? undefined : String(low),
                max: high === undefined ? undefined : String(high),
              })}
              resetScroll={false}
            >
              {binName}
            </Link>
          )}
        />
      )}
    </article>
  );
}

/** A judge's result, corrected by people's scores of some testcases. */
function Correction({
  calibrated: { mean, passRate, confidenceInterval, labels },
  write,
  isShare,
}: {
  calibrated: NonNullable<MetricSummary['calibrated']>;
  write: (value: number) => string;
  isShare: boolean;
}) {
  if (mean === null || confidenceInterval === null)
    return <p className={styles.interval}>By the judge alone</p>;
  const passes = !isShare && passRate !== null ? `, ${formatShare(passRate)} pass` : '';
  const { low, high } = confidenceInterval;
  return (
    <p className={styles.interval}>
      Corrected by people's scores of {countOf(labels, 'testcase')}: {write(mean)} ({write(low)} to{' '}
      {write(high)}){passes}
    </p>
  );
}
