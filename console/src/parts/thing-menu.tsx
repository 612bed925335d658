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

/** A change of the name and the description, as `useChange` gives it. */
interface Renaming {
  isPending: boolean;
  error: Error | null;
  rename: (naming: Naming, onDone: () => void) => void;
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
  thing: { id: string; name: string; description: string | null };
  /** Missing where the page itself has a field for the name. */
  renaming?: Renaming;
  deletion: {
    path: Path;
    params: ParamsOf<Path>;
    refreshes: PathOf<'GET'>[];
    /** All that goes with it, and all that stays. */
    consequence: ReactNode;
    /** Leads to where the thing is listed. */
    leave: () => void;
  };
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
        <FormDialog
          title={`Delete “${visible(thing.name)}”?`}
          button="Delete"
          isDangerous
          change={{ isPending: false, error: null }}
          onClose={close}
          submit={() => {
            const { path, params, refreshes, leave } = deletion;
            const named = `The ${noun} “${thing.name}”`;
            holdDeletion(path, { id: thing.id, thing: named, params, refreshes });
            close();
            leave();
          }}
        >
          <p>{deletion.consequence}</p>
          <p>For ten seconds it can be undone. Nothing brings it back afterwards.</p>
        </FormDialog>
      )}
    </>
  );
}

function RenameDialog({
  noun,
  thing,
  renaming,
  onClose,
}: {
  noun: string;
  thing: { name: string; description: string | null };
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
          { name: `${form.get('name')}`.trim(), description: `${form.get('description')}` },
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
      <Field
        label="Description"
        name="description"
        rows={3}
        defaultValue={thing.description ?? ''}
        problem={problemAt(renaming.error, '/description')}
      />
    </FormDialog>
  );
}
