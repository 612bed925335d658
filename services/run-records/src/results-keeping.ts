import { createDueWork, type DueWorkOptions } from '@assay/runtime/concurrency/due-work';
import type { Log } from '@assay/runtime/log';
import type { IsSuspended } from '@assay/runtime/organization-suspensions';

/** Keeps the results of runs in the background, organization by organization. */
export const createResultsReader = ({
  keeping,
  isSuspended,
  log,
}: {
  keeping: Pick<DueWorkOptions, 'organizations' | 'work'>;
  isSuspended: IsSuspended;
  log: Log;
}) =>
  createDueWork({
    organizations: keeping.organizations,
    work: keeping.work,
    isSuspended,
    failure: 'the results of runs will be read again',
    log,
    atOnce: 2,
  });
