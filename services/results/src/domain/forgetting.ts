import type { Identity } from '@assay/contracts/define';
import type { Dependencies } from './dependencies.ts';

/** The results that are kept of a run go with it. */
export const createForgetting = ({ store }: Pick<Dependencies, 'store'>) => ({
  async forgetRun({ organizationId }: Identity, runId: string) {
    await store.keptResults.deleteOfRun(organizationId, runId);
    return {};
  },
});
