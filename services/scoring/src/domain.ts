import type { Asks, Identity } from '@assay/contracts/define';
import type { metrics } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement, runRecords } from '@assay/contracts/run-records';
import type { ServiceClient } from '@assay/runtime/http-client';
import type { Cell, Evaluate } from './domain/evaluation.ts';
import { createKnownVersions } from './domain/known-versions.ts';
import type { Store } from './store.ts';

interface Parts {
  store: Store;
  ask: { metrics: Asks<typeof metrics> };
  /** The records with their payloads, over HTTP; and where the scores go. */
  runRecords: Pick<ServiceClient<typeof runRecords>, 'readForScoring' | 'acceptJudgements'>;
  evaluate: Evaluate;
  newId: () => string;
  now: () => Date;
}

interface Job {
  runId: string;
  recordIds: string[];
  attempt: number;
}

interface RecordToScore {
  id: string;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  pending: string[];
}

export type Domain = ReturnType<typeof createDomain>;

/** What is done with a scoring job: read what is still pending, judge it, hand the judgements over. Safe to run twice. */
export function createDomain({ store, ask, runRecords, evaluate, newId, now }: Parts) {
  const knownVersions = createKnownVersions(ask);

  async function judge(identity: Identity, records: RecordToScore[], attempt: number): Promise<Judgement[]> {
    const versions = await knownVersions(identity, [...new Set(records.flatMap(({ pending }) => pending))]);
    const isKnown = (id: string) => versions.has(id);
    const cells = records.flatMap(({ id, expected, outputs, pending }) =>
      pending.filter(isKnown).map((versionId): Cell => ({ recordId: id, metric: versions.get(versionId)!, expected, outputs })),
    );
    const gone = records.flatMap(({ id, pending }) =>
      pending.filter((versionId) => !isKnown(versionId)).map((versionId) => metricIsGone(id, versionId, attempt)),
    );
    return [...gone, ...(await evaluate(cells, attempt))];
  }

  async function keepFailed({ organizationId }: Identity, runId: string, judgements: Judgement[]): Promise<void> {
    const at = now();
    const failed = judgements.flatMap(({ recordId, metricVersionId, outcome }) =>
      outcome.kind === 'failure'
        ? [{ id: newId(), runId, recordId, metricVersionId, code: outcome.code, message: outcome.message, at }]
        : [],
    );
    await store.keepFailed(organizationId, failed);
  }

  return {
    async scoreRecords(identity: Identity, { runId, recordIds, attempt }: Job): Promise<void> {
      let wanted = recordIds;
      while (wanted.length > 0) {
        const { records, remaining } = await runRecords.readForScoring(identity, { runId, recordIds: wanted });
        const judgements = await judge(identity, records, attempt);
        if (judgements.length > 0) await runRecords.acceptJudgements(identity, { runId, judgements });
        await keepFailed(identity, runId, judgements);
        wanted = remaining;
      }
    },
  };
}

const metricIsGone = (recordId: string, metricVersionId: string, attempts: number): Judgement => ({
  recordId,
  metricVersionId,
  outcome: { kind: 'failure', code: 'code_error', message: 'The metric version is not there any more.', attempts },
});
