import { holdDeletion } from '../../api/held-deletions.ts';
import { useChange } from '../../api/query.ts';
import type { SaidChanges } from './said.tsx';

/** Changes and deletes annotations of a record. */
export function useRecordAnnotationChanges(recordId: string): SaidChanges {
  const refreshes = ['/records/:recordId/annotations', '/runs/:runId/records'] as const;
  const path = '/records/:recordId/annotations/:recordAnnotationId';
  const edit = useChange('PATCH', path, { refreshes: [...refreshes] });
  return {
    isBusy: edit.isPending,
    error: edit.error,
    edit: (recordAnnotationId, comment, done) =>
      edit.mutate(
        { params: { recordId, recordAnnotationId }, body: { comment } },
        { onSuccess: done },
      ),
    remove: (id) =>
      holdDeletion(path, {
        id,
        thing: 'The annotation',
        params: { recordId, recordAnnotationId: id },
        refreshes: [...refreshes],
      }),
  };
}
