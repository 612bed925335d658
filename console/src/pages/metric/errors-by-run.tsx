import type { ReplyOf } from '@assay/client/operations';
import { countOf, formatMean, formatShare } from '../../text/format.ts';
import styles from './reliability.module.css';

type ReliabilityReply = ReplyOf<'GET', '/metrics/:metricId/reliability'>;
type Errors = ReliabilityReply['byRun'][number];
export type Interval = NonNullable<ReliabilityReply['agreement']['confidenceInterval']>;

/** " (80.1 % to 97.2 %)"; empty without an interval. */
export const between = (interval: Interval | null, format: (value: number) => string): string =>
  interval ? ` (${format(interval.low)} to ${format(interval.high)})` : '';

/** On which side the metric errs in each run: only where runs differ is it unfair to one. */
export function ErrorsByRun({
  reliability,
  nameOf,
}: {
  reliability: ReliabilityReply;
  nameOf: (runId: string) => string;
}) {
  const { byRun, compared, outputType } = reliability;
  if (compared === 0 && byRun.length === 1) return null;
  return (
    <section aria-label="Errors by run">
      <h2>Its errors by run</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <div className={styles.scroll} tabIndex={0}>
        <table className={styles.errors}>
          <thead>
            <tr>
              <th scope="col">Run</th>
              {outputType === 'boolean' ? (
                <>
                  <th scope="col">Of what people pass, it passes</th>
                  <th scope="col">Of what people fail, it fails</th>
                </>
              ) : (
                <th scope="col">It gives more than people by</th>
              )}
            </tr>
          </thead>
          <tbody>
            {byRun.map((errors) => (
              <tr key={errors.runId}>
                <th scope="row">{nameOf(errors.runId)}</th>
                {errors.meanError ? (
                  <td>{meanErrorText(errors)}</td>
                ) : (
                  <>
                    <td>{shareText(errors.sensitivity)}</td>
                    <td>{shareText(errors.specificity)}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.hint}>
        {byRun.length === 1
          ? 'Choose another run above to see whether it errs there as often.'
          : 'Where these differ between two runs, it is kinder to one of them, and a comparison of the two says so as if it were a difference.'}
      </p>
    </section>
  );
}

const shareText = (share: Errors['sensitivity']): string =>
  !share || share.value === null
    ? 'nobody has scored one'
    : `${formatShare(share.value)}${between(share.confidenceInterval, formatShare)}, of ${share.labels}`;

const meanErrorText = ({ meanError, labels }: Errors): string =>
  !meanError || meanError.value === null
    ? 'nobody has scored one'
    : `${formatMean(meanError.value)}${between(meanError.confidenceInterval, formatMean)}, ${countOf(labels, 'record')}`;
