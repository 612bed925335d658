import type { Asks, Identity } from '@assay/contracts/define';
import type { ErasingService } from '@assay/contracts/erasing-services';
import type { Erasure, Place } from '@assay/contracts/erasure';
import { conflict } from '@assay/contracts/failure';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Store } from '../store.ts';

interface ServicePlace extends Place {
  service: string;
}

interface DeletionProgress {
  places: ServicePlace[];
  /** Nothing that was under way when it was suspended can be stored after this. */
  settlesAt: string;
  isDone: boolean;
}

interface Dependencies {
  store: Store;
  /** The erasure of each service with a database. */
  erasures: Record<ErasingService, Asks<Erasure>>;
  /** Longer than any write can last that began before the suspension. */
  settledMs: number;
  clock: () => Date;
}

export type Deletion = ReturnType<typeof createDeletion>;

/**
 * Deletes a suspended organization step by step, so that it can be killed and asked again. Every
 * service erases its part, and counts the remainder; the organization itself goes when all
 * counts are zero, after the time in which something that was under way could still be stored.
 */
export function createDeletion({ store, erasures, settledMs, clock }: Dependencies) {
  async function countPlaces(identity: Identity): Promise<ServicePlace[]> {
    const counted = await Promise.all(
      Object.entries(erasures).map(async ([service, { countOrganization }]) => {
        const { places } = await countOrganization(identity, {});
        return places.map((place) => ({ service, ...place }));
      }),
    );
    return counted.flat();
  }

  /** Undefined where there is no such organization: then nothing settles. */
  async function settlesAt(organizationId: string): Promise<Date | undefined> {
    const organization = await store.findOrganization(organizationId);
    if (!organization) return undefined;
    const suspendedAt = await store.beginDeletion(organizationId);
    if (!suspendedAt)
      throw conflict(
        `The organization ${organization.name} is not suspended: suspend it first, with \`npm run admin -- suspend-organization ${organizationId}\`.`,
      );
    return new Date(suspendedAt.getTime() + settledMs);
  }

  return {
    /** @throws CONFLICT unless the organization is suspended. */
    async deleteOrganization(
      { requestId }: Identity,
      organizationId: string,
    ): Promise<DeletionProgress> {
      const settled = await settlesAt(organizationId);
      const identity = serviceIdentity(organizationId, requestId);
      const isSettled = settled === undefined || settled <= clock();
      const steps = await Promise.all(
        Object.values(erasures).map(({ eraseOrganization }) => eraseOrganization(identity, {})),
      );
      const places = await countPlaces(identity);
      const isEmpty =
        steps.every(({ isDone }) => isDone) && places.every(({ count }) => count === 0);
      const isDone = isEmpty && isSettled;
      if (isDone) await store.deleteOrganization(organizationId);
      const count = (await store.findOrganization(organizationId)) ? 1 : 0;
      return {
        places: [...places, { service: 'identity', place: 'organizations', count }],
        settlesAt: (settled ?? clock()).toISOString(),
        isDone,
      };
    },
  };
}
