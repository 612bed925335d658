import type { Identity } from '@assay/contracts/define';
import type { Judgement } from '@assay/contracts/run-records';
import { isOutage } from '@assay/runtime/concurrency/guard-item';
import type { Dependencies } from './dependencies.ts';
import { type FailureOutcome, failureOutcome } from './failure-outcome.ts';
import { createHandOver } from './hand-over.ts';

export interface ScoringJob {
  runId: string;
  recordIds: string[];
  /** Left out by jobs of evaluators and code. */
  model?: string | null;
}

/**
 * Turns a job that became a dead letter into failures of the scores that it left pending, which are
 * listed with the reason and can be retried. Not after an outage, which is no score's fault: then
 * run-records' sweep publishes the records again.
 */
export function createDeadLetters(
  dependencies: Pick<Dependencies, 'runRecords' | 'store' | 'newId' | 'now'>,
) {
  const { runRecords } = dependencies;
  const handOver = createHandOver(dependencies);

  return async (
    identity: Identity,
    { runId, recordIds, model = null }: ScoringJob,
    error: unknown,
  ): Promise<void> => {
    if (isOutage(error)) return;
    const outcome = deadLetterOutcome(error);
    let wanted = recordIds;
    while (wanted.length > 0) {
      const { records, remaining } = await runRecords.readForScoring(identity, {
        runId,
        recordIds: wanted,
        model,
      });
      const judgements = records.flatMap(({ id, pending }) =>
        pending.map((metricVersionId): Judgement => ({ recordId: id, metricVersionId, outcome })),
      );
      if (judgements.length > 0) await handOver(identity, runId, judgements);
      wanted = remaining;
    }
  };
}

/** The failure of each score that a job left open when it became a dead letter. */
export const deadLetterOutcome = (error: unknown): FailureOutcome =>
  failureOutcome({
    code: 'code_error',
    message: `The score was not made: ${error instanceof Error ? error.message : String(error)}`,
    attempts: 0,
  });
