import type { PathOf } from '@assay/client/operations';

/** Read again after a change of how a run is scored. */
export const changedByScoring: PathOf<'GET'>[] = ['/runs/:runId', '/runs/:runId/failures'];
