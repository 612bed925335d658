import { useChange } from '../../api/query.ts';
import { Choice, Field, problemAt } from '../field.tsx';
import { FormDialog } from '../form-dialog.tsx';
import { type ViewList, viewQueryOf } from './view-address.ts';
import { viewColumnsOf } from './view-columns.ts';

/** Keeps the list as it is shown under a name. */
export function SaveViewDialog({
  projectId,
  list,
  grid,
  search,
  onClose,
}: {
  projectId: string;
  list: ViewList;
  grid: string | undefined;
  search: Record<string, unknown>;
  onClose: () => void;
}) {
  const save = useChange('POST', '/projects/:projectId/views', {
    refreshes: ['/projects/:projectId/views'],
  });
  return (
    <FormDialog
      title="Save this view"
      button="Save"
      change={save}
      onClose={onClose}
      submit={(form) =>
        save.mutate(
          {
            params: { projectId },
            body: {
              list,
              name: `${form.get('name')}`.trim(),
              query: viewQueryOf(list, search),
              columns: viewColumnsOf(grid),
              isShared: form.get('sharing') === 'shared',
            },
          },
          { onSuccess: onClose },
        )
      }
    >
      <Field
        label="Name"
        name="name"
        required
        maxLength={100}
        problem={problemAt(save.error, '/name')}
      />
      <Choice label="Who sees it" name="sharing" defaultValue="mine">
        <option value="mine">I alone</option>
        <option value="shared">Everybody: shared with the project</option>
      </Choice>
      <p>It keeps the filters, the order and the columns of the list.</p>
    </FormDialog>
  );
}
