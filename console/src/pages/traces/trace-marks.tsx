import { countOf, formatCount, formatDollars, formatDuration } from '../../text/format.ts';
import styles from './traces.module.css';
import type { TraceItem } from './use-new-traces.ts';

/** Whether a trace had errors, and whether it is still being received. */
export const TraceStatus = ({ trace: { numErrors, isSettled } }: { trace: TraceItem }) => (
  <span>
    {numErrors > 0 ? (
      <span className={styles.error}>! {countOf(numErrors, 'error')}</span>
    ) : (
      isSettled && '✓ no errors'
    )}
    {!isSettled && (
      <span className={styles.estimate} title={estimateTitle}>
        {' '}
        … estimate
      </span>
    )}
  </span>
);

const estimateTitle =
  'Its spans may still be coming: the numbers are estimates until nothing has come for some seconds.';

/** A number of a trace; an estimate is told by its sign. */
const Estimated = ({ text, isSettled }: { text: string; isSettled: boolean }) =>
  isSettled ? (
    text
  ) : (
    <span className={styles.estimate} title={estimateTitle}>
      ~{text}
    </span>
  );

export const TraceDuration = ({ trace }: { trace: TraceItem }) => (
  <Estimated text={formatDuration(trace.durationMs)} isSettled={trace.isSettled} />
);

export const TraceTokens = ({ trace }: { trace: TraceItem }) =>
  trace.totalTokens === null ? (
    '–'
  ) : (
    <Estimated text={formatCount(trace.totalTokens)} isSettled={trace.isSettled} />
  );

export const TraceCost = ({ trace }: { trace: TraceItem }) =>
  trace.costUsd === null ? (
    '–'
  ) : (
    <Estimated
      text={`${trace.costIsPartial ? 'at least ' : ''}${formatDollars(trace.costUsd)}`}
      isSettled={trace.isSettled}
    />
  );
