import type { ReactNode } from 'react';
import { useEach } from '../api/each.ts';
import type { ReadPath } from '../api/query.ts';
import { countOf } from '../text/format.ts';
import { ChangeDialog } from './change-dialog.tsx';
import type { Selection } from './grid/selection.ts';

/** Deletes the selected things of a list one by one, which the sentence inside warns of. */
export function DeleteSelected({
  selection,
  noun,
  remove,
  refreshes,
  onClose,
  children,
}: {
  selection: Selection;
  /** One of them, such as `run`. */
  noun: string;
  remove: (id: string) => Promise<void>;
  refreshes: ReadPath[];
  onClose: () => void;
  children: ReactNode;
}) {
  const whole = countOf(selection.ids.size, noun);
  const change = useEach([...selection.ids], { work: remove, refreshes });
  return (
    <ChangeDialog
      title={`Delete ${whole}`}
      button="Delete"
      isDangerous
      change={change}
      whole={whole}
      submit={() =>
        change.mutate(undefined, {
          onSuccess: () => {
            selection.clear();
            onClose();
          },
        })
      }
      onClose={onClose}
    >
      <p>{children}</p>
    </ChangeDialog>
  );
}
