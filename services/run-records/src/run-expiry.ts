import { createDueWork, type DueWorkOptions } from '@assay/runtime/concurrency/due-work';
import type { Log } from '@assay/runtime/log';
import type { IsSuspended } from '@assay/runtime/organization-suspensions';

const everyMs = 60_000;

/** Lets runs expire in the background, organization by organization. */
export const createRunExpiry = ({
  expiry,
  isSuspended,
  log,
}: {
  expiry: Pick<DueWorkOptions, 'organizations' | 'work'>;
  isSuspended: IsSuspended;
  log: Log;
}) =>
  createDueWork({
    organizations: expiry.organizations,
    work: expiry.work,
    isSuspended,
    failure: 'the expiry of runs will be tried again',
    log,
    atOnce: 1,
    everyMs,
  });
