import type { RunStatus } from '@assay/contracts/run-records';

interface Progress {
  /** Records that are there. */
  records: number;
  /** The run's testcases times its repeats; null without a testset. */
  expectedRecords: number | null;
  /** Scores missing that the service makes. */
  pending: number;
  /** Scores missing that people or clients make. */
  awaited: number;
  /** Scores that are made, or will not be made. */
  settled: number;
}

/** A run's status, from its progress (contract section 2, Run). */
export function statusOf({
  records,
  expectedRecords,
  pending,
  awaited,
  settled,
}: Progress): RunStatus {
  if (expectedRecords === null && records === 0) return 'pending';
  if (expectedRecords !== null && records < expectedRecords)
    return records === 0 ? 'awaiting_execution' : 'running_execution';
  if (pending > 0) return settled === 0 ? 'awaiting_scoring' : 'running_scoring';
  return awaited > 0 ? 'awaiting_human_scoring' : 'completed';
}
