import type { Answers } from '@assay/contracts/define';
import { scoring } from '@assay/contracts/scoring';
import type { Streams } from '@assay/runtime/streams';
import type { Domain } from './domain.ts';

/** Scoring answers no question. */
export const createAnswers = (): Answers<typeof scoring> => ({});

/** Works on scoring jobs, `concurrency` at a time in this process. */
export function workOnJobs({ streams, domain, concurrency }: { streams: Streams; domain: Domain; concurrency: number }): void {
  streams.workOn(scoring, 'scoreRecords', {
    concurrency,
    handle: (identity, job: { runId: string; recordIds: string[] }, { attempt }) => domain.scoreRecords(identity, { ...job, attempt }),
  });
}
