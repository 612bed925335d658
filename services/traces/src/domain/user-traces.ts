import type { Identity } from '@assay/contracts/define';
import type { ErasedPlaces } from '../store.ts';
import type { Dependencies } from './dependencies.ts';

/** Traces that are erased at once, and in one answer. */
const erasedMax = 500;

/** Erases all traces of a user, some in each answer. */
export function createUserTraces({ store }: Pick<Dependencies, 'store'>) {
  return {
    async forgetUser(
      { organizationId }: Identity,
      userId: string,
    ): Promise<{ places: ErasedPlaces; isDone: boolean }> {
      const traceIds = await store.userTraces.some(organizationId, userId, erasedMax);
      const places = await store.userTraces.erase(organizationId, traceIds);
      return { places, isDone: (await store.userTraces.count(organizationId, userId)) === 0 };
    },
  };
}
