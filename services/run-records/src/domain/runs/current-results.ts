import type { KeptResults } from '../../store/run-results.ts';

type RunState = Pick<KeptResults, 'changes' | 'metricVersions'>;

/** Are kept results of a run as it is, and not as it was before later changes? */
export const areCurrent = (kept: RunState, run: RunState): boolean =>
  kept.changes === run.changes && kept.metricVersions === run.metricVersions;
