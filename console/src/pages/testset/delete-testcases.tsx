import { useChange } from '../../api/query.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { countOf } from '../../text/format.ts';

/** Asks whether these testcases are to be deleted. */
export function DeleteTestcases({
  ids,
  onDeleted,
  onClose,
}: {
  ids: string[];
  onDeleted?: () => void;
  onClose: () => void;
}) {
  const remove = useChange('POST', '/testcases/bulk-delete', {
    refreshes: [
      '/testsets/:testsetId/testcases',
      '/testsets/:testsetId/changes',
      '/testsets/:testsetId/duplicates',
    ],
  });
  return (
    <FormDialog
      title={`Delete ${countOf(ids.length, 'testcase')}`}
      button="Delete"
      isDangerous
      change={remove}
      onClose={onClose}
      submit={() =>
        remove.mutate(
          { body: { ids } },
          {
            onSuccess: () => {
              onDeleted?.();
              onClose();
            },
          },
        )
      }
    >
      <p>
        Records that were made of them stay. They can be restored one by one in the history of the
        testset.
      </p>
    </FormDialog>
  );
}
