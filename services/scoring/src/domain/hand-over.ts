import type { Identity } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
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
    let judgements = made.map(acceptable);
    const submit = () => runRecords.acceptJudgements(identity, { runId, judgements });
    const run = await submit().catch((error: unknown) => {
      if (!(error instanceof Failure && error.code === 'VALIDATION_ERROR')) throw error;
      judgements = judgements.map(asBefore);
      return submit();
    });
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

/** Processes of run-records before 0.3.0 do not know that a metric may not apply. */
function asBefore(judgement: Judgement): Judgement {
  const { outcome } = judgement;
  if (outcome.kind !== 'notApplicable') return judgement;
  const message = `The metric does not apply: ${outcome.reasoning}`;
  return { ...judgement, outcome: failureOutcome({ code: 'code_error', message, attempts: 1 }) };
}

/** One judgement that run-records refuses would keep all others of its request from it. */
function acceptable(made: Judgement): Judgement {
  const fault = judgement.safeParse(made).error?.issues[0];
  if (!fault) return made;
  const message = `The score cannot be stored: ${fault.path.join('/')}: ${fault.message}.`;
  return { ...made, outcome: failureOutcome({ code: 'code_error', message, attempts: 1 }) };
}
