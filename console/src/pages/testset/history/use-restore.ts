import { useChange } from '../../../api/query.ts';

/** Gives a testcase the data of an earlier version again. */
export function useRestore() {
  const change = useChange('POST', '/testcases/:testcaseId/restore', {
    refreshes: [
      '/testsets/:testsetId/testcases',
      '/testcases/:testcaseId',
      '/testsets/:testsetId/changes',
      '/testsets/:testsetId/duplicates',
      '/testcases/:testcaseId/versions',
    ],
  });
  return {
    isPending: change.isPending,
    error: change.error,
    restore: (testcaseId: string, version: number, onSuccess: () => void) =>
      change.mutate({ params: { testcaseId }, body: { version } }, { onSuccess }),
  };
}
