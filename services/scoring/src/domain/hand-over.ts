import type { Identity } from '@assay/contracts/define';
import { type Judgement, judgement } from '@assay/contracts/run-records';
import type { Dependencies } from './dependencies.ts';
import { failureOutcome } from './failure-outcome.ts';

/** Hands judgements of one run over to run-records, and keeps those that failed for the operator. */
export function createHandOver({
  runRecords,
  store,
  newId,
  now,
}: Pick<Dependencies, 'runRecords' | 'store' | 'newId' | 'now'>) {
  return async (identity: Identity, runId: string, made: Judgement[]) => {
    const judgements = made.map(acceptable);
    const run = await runRecords.acceptJudgements(identity, { runId, judgements });
    const at = now();
    const failed = judgements.flatMap(({ recordId, metricVersionId, outcome }) =>
      outcome.kind === 'failure'
        ? [
            {
              id: newId(),
              runId,
              recordId,
              metricVersionId,
              code: outcome.code,
              message: outcome.message,
              at,
            },
          ]
        : [],
    );
    await store.keepFailed(identity.organizationId, failed);
    return run;
  };
}

/** One judgement that run-records refuses would keep all others of its request from it. */
function acceptable(made: Judgement): Judgement {
  const fault = judgement.safeParse(made).error?.issues[0];
  if (!fault) return made;
  const message = `The score cannot be stored: ${fault.path.join('/')}: ${fault.message}.`;
  return { ...made, outcome: failureOutcome({ code: 'code_error', message, attempts: 1 }) };
}
