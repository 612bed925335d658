import { createDueWork } from '@assay/runtime/concurrency/due-work';
import type { Log } from '@assay/runtime/log';
import type { Store } from './store.ts';

const everyMs = 60_000;
const dayMs = 24 * 60 * 60_000;

/** Removes testcases in the background that were deleted more than `days` ago. */
export function createDeletions({
  store,
  days,
  now,
  log,
}: {
  store: Pick<Store, 'organizationsWithDeletions' | 'removeDeleted'>;
  days: number;
  now: () => Date;
  log: Pick<Log, 'warn'>;
}) {
  const end = (): Date => new Date(now().getTime() - days * dayMs);
  return createDueWork({
    organizations: () => store.organizationsWithDeletions(end()),
    work: (organizationId) => store.removeDeleted(organizationId, end()),
    failure: 'testcases that were deleted long ago will be removed later',
    log,
    atOnce: 1,
    everyMs,
  });
}
