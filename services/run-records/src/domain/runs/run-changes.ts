import type { Identity, Request } from '@assay/contracts/define';
import type { Run, runRecords } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';
import type { Budget } from './budget.ts';
import { labelTexts } from './labels.ts';
import type { Runs } from './runs.ts';

type RunChange = Request<(typeof runRecords)['operations']['updateRun']>['body'];

export function createRunChanges({
  store,
  runs,
  budget,
}: Pick<Dependencies, 'store'> & { runs: Runs; budget: Budget }) {
  return {
    /** Changes what is given: the name, all labels, the budget. */
    async update(
      identity: Identity,
      runId: string,
      { name, labels, budgetUsd }: RunChange,
    ): Promise<Run> {
      const { organizationId } = identity;
      const run = await runs.runOf(identity, runId);
      await store.runs.update(organizationId, runId, {
        ...(name === undefined ? {} : { name }),
        ...(labels === undefined ? {} : { labels: labelTexts(labels) }),
        ...(budgetUsd === undefined ? {} : { budgetUsd }),
      });
      if (budgetUsd !== undefined) await budget.retryUnpaid(organizationId, { ...run, budgetUsd });
      return runs.get(identity, runId);
    },
  };
}
