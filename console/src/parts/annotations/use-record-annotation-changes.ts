import { useChange } from '../../api/query.ts';
import type { SaidChanges } from './said.tsx';

/** Changes and deletes annotations of a record. */
export function useRecordAnnotationChanges(recordId: string): SaidChanges {
  const refreshes = ['/records/:recordId/annotations', '/runs/:runId/records'] as const;
  const path = '/records/:recordId/annotations/:recordAnnotationId';
  const edit = useChange('PATCH', path, { refreshes: [...refreshes] });
  const remove = useChange('DELETE', path, { refreshes: [...refreshes] });
  return {
    isBusy: edit.isPending || remove.isPending,
    error: edit.error ?? remove.error,
    edit: (recordAnnotationId, comment, done) =>
      edit.mutate(
        { params: { recordId, recordAnnotationId }, body: { comment } },
        { onSuccess: done },
      ),
    remove: (recordAnnotationId) => remove.mutate({ params: { recordId, recordAnnotationId } }),
  };
}
