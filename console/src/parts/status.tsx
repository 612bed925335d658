import type { ReplyOf } from '@assay/client/operations';
import { formatCount } from '../text/format.ts';
import styles from './status.module.css';

type Run = ReplyOf<'GET', '/runs/:runId'>;
export type RunStatus = Run['status'];

/** The name of a run's status, and whether it is under way. */
export const runStatuses: Record<RunStatus, { text: string; isLive: boolean }> = {
  pending: { text: 'waits for records', isLive: true },
  awaiting_execution: { text: 'waits for records', isLive: true },
  running_execution: { text: 'receiving records', isLive: true },
  awaiting_scoring: { text: 'waits for scores', isLive: true },
  running_scoring: { text: 'is being scored', isLive: true },
  awaiting_human_scoring: { text: 'waits for people', isLive: true },
  completed: { text: 'completed', isLive: false },
};

type Progress = Pick<
  Run,
  'status' | 'scoring' | 'numRecords' | 'numExpectedRecords' | 'isPaused' | 'expiredAt'
>;

/** A run's status in words, and how far it is as a bar. */
export function Status({ run }: { run: Progress }) {
  if (run.expiredAt) return <Expired />;
  const { text, isLive } = runStatuses[run.status];
  const { expected, scored, failed } = run.scoring;
  const records = run.numExpectedRecords ?? 0;
  const done =
    expected > 0 ? (scored + failed) / expected : records > 0 ? run.numRecords / records : 0;
  const words = run.isPaused && isLive ? 'paused' : text;
  return (
    <span className={styles.status}>
      <span>
        <span aria-hidden="true">{run.isPaused && isLive ? '‖' : isLive ? '…' : '✓'}</span> {words}
      </span>
      {isLive && (
        <progress
          max={1}
          value={Math.min(1, done)}
          aria-label={
            expected > 0
              ? `${formatCount(scored + failed)} of ${formatCount(expected)} scores`
              : `${formatCount(run.numRecords)} of ${formatCount(records)} records`
          }
        />
      )}
    </span>
  );
}

/** Of a run whose records are gone. */
const Expired = () => (
  <span className={styles.status}>
    <span>
      <span aria-hidden="true">∅</span> expired
    </span>
  </span>
);
