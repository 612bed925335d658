import type { Identity } from '@assay/contracts/define';
import type { ErasedPlaces, TracesOwner } from '../store.ts';
import type { Dependencies } from './dependencies.ts';

/** Traces that are erased at once, and in one answer. */
const erasedMax = 500;

/** Erases all traces of a user or of a session, some in each answer. */
export function createNamedTraces({ store, now }: Pick<Dependencies, 'store' | 'now'>) {
  return {
    async forgetTraces(
      { organizationId }: Identity,
      owner: TracesOwner,
    ): Promise<{ places: ErasedPlaces; isDone: boolean }> {
      const traceIds = await store.namedTraces.some(organizationId, owner, erasedMax);
      await store.deletedTraces.remember(organizationId, traceIds, now());
      const places = await store.namedTraces.erase(organizationId, traceIds);
      return { places, isDone: (await store.namedTraces.count(organizationId, owner)) === 0 };
    },
  };
}
