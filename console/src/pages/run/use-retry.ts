import { useChange } from '../../api/query.ts';
import { changedByScoring } from './changed-by-scoring.ts';

/** Has the scores of a run that were not made tried again. */
export function useRetry(runId: string) {
  const change = useChange('POST', '/runs/:runId/retry', { refreshes: changedByScoring });
  return {
    ...change,
    text: 'Retry what is not scored',
    retry: () => change.mutate({ params: { runId } }),
  };
}
