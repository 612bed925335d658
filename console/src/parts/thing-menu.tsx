import type { ParamsOf, PathOf } from '@assay/client/operations';
import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { holdDeletion } from '../api/held-deletions.ts';
import { visible } from '../text/format.ts';
import { Field, problemAt } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';
import { MoreMenu } from './menu.tsx';

interface Naming {
  name: string;
  description: string;
}

/** A thing with a name; without `description` where its kind has none. */
interface Thing {
  id: string;
  name: string;
  description?: string | null;
}

/** A change of the name and the description, as `useChange` gives it. */
interface Renaming {
  isPending: boolean;
  error: Error | null;
  rename: (naming: Naming, onDone: () => void) => void;
}

interface Deletion<Path extends PathOf<'DELETE'>> {
  path: Path;
  params: ParamsOf<Path>;
  refreshes: PathOf<'GET'>[];
  /** All that goes with it, and all that stays. */
  consequence: ReactNode;
  /** Leads to where the thing is listed. */
  leave?: () => void;
}

/** The menu of a thing that has a page: it is renamed, and deleted with ten seconds to undo that. */
export function ThingMenu<Path extends PathOf<'DELETE'>>({
  noun,
  thing,
  renaming,
  deletion,
}: {
  /** Such as `testset`. */
  noun: string;
  thing: Thing;
  /** Missing where the page itself has a field for the name. */
  renaming?: Renaming;
  deletion: Deletion<Path>;
}) {
  const [shown, setShown] = useState<'rename' | 'delete'>();
  const close = () => setShown(undefined);
  return (
    <>
      <MoreMenu
        items={[
          ...(renaming ? [{ text: 'Rename …', Icon: Pencil, run: () => setShown('rename') }] : []),
          {
            text: `Delete the ${noun} …`,
            Icon: Trash2,
            isDangerous: true,
            run: () => setShown('delete'),
          },
        ]}
      />
      {shown === 'rename' && renaming && (
        <RenameDialog noun={noun} thing={thing} renaming={renaming} onClose={close} />
      )}
      {shown === 'delete' && (
        <DeleteDialog noun={noun} thing={thing} deletion={deletion} onClose={close} />
      )}
    </>
  );
}

/** Asks before a thing is deleted, in ten seconds unless that is undone. */
export const DeleteDialog = <Path extends PathOf<'DELETE'>>({
  noun,
  thing,
  deletion: { path, params, refreshes, consequence, leave },
  onClose,
}: {
  noun: string;
  thing: Thing;
  deletion: Deletion<Path>;
  onClose: () => void;
}) => (
  <FormDialog
    title={`Delete “${visible(thing.name)}”?`}
    button="Delete"
    isDangerous
    change={{ isPending: false, error: null }}
    onClose={onClose}
    submit={() => {
      const named = `The ${noun} “${thing.name}”`;
      holdDeletion(path, { id: thing.id, thing: named, params, refreshes });
      onClose();
      leave?.();
    }}
  >
    <p>{consequence}</p>
    <p>For ten seconds it can be undone. Nothing brings it back afterwards.</p>
  </FormDialog>
);

export function RenameDialog({
  noun,
  thing,
  renaming,
  onClose,
}: {
  noun: string;
  thing: Thing;
  renaming: Renaming;
  onClose: () => void;
}) {
  return (
    <FormDialog
      title={`Rename the ${noun}`}
      button="Save"
      change={renaming}
      onClose={onClose}
      submit={(form) =>
        renaming.rename(
          { name: `${form.get('name')}`.trim(), description: `${form.get('description') ?? ''}` },
          onClose,
        )
      }
    >
      <Field
        label="Name"
        name="name"
        required
        defaultValue={thing.name}
        problem={problemAt(renaming.error, '/name')}
      />
      {thing.description !== undefined && (
        <Field
          label="Description"
          name="description"
          rows={3}
          defaultValue={thing.description ?? ''}
          problem={problemAt(renaming.error, '/description')}
        />
      )}
    </FormDialog>
  );
}
