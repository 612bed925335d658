import { useChange, useReading } from '../../api/query.ts';
import type { RunReply } from './use-live-run.ts';

/** The run with which the others of its testset are compared. */
export function useBaseline({ id: runId, testsetId }: RunReply) {
  const testset = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: testsetId !== null,
  });
  const set = useChange('PUT', '/testsets/:testsetId/baseline', {
    refreshes: ['/testsets/:testsetId', '/projects/:projectId/testsets'],
  });
  const isThis = testset.data?.baselineRunId === runId;
  return {
    /** The testset; undefined where the run has none, and until it is read. */
    testset: testset.data,
    isThis,
    error: set.error,
    toggle: () =>
      testsetId && set.mutate({ params: { testsetId }, body: { runId: isThis ? null : runId } }),
  };
}
