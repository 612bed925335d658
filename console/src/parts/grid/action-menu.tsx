import { type ReactNode, type RefObject, useState } from 'react';
import { Menu } from '../menu.tsx';

/** Something that is done with the rows that are selected: at once, or in a dialog. */
export interface Action {
  text: string;
  isDangerous?: boolean;
  /** Why it cannot be done with these rows. */
  problem?: string | undefined;
  run?: () => void;
  dialog?: (close: () => void) => ReactNode;
}

/** The menu of what can be done with the rows that are selected. */
export function ActionMenu({
  actions,
  count,
  button,
  onClose,
}: {
  actions: Action[];
  /** How many rows are selected. */
  count: number;
  button: RefObject<HTMLButtonElement | null>;
  /** After an action's dialog. */
  onClose: () => void;
}) {
  const [shown, setShown] = useState<string>();
  const dialog = actions.find(({ text }) => text === shown)?.dialog;
  return (
    <>
      <Menu
        ref={button}
        label="Actions"
        title={count === 0 ? 'Actions: select rows first' : 'Actions on what is selected'}
        isDisabled={count === 0}
        items={actions.map(({ run, dialog: _, ...action }) => ({
          ...action,
          run: run ?? (() => setShown(action.text)),
        }))}
      />
      {dialog?.(() => {
        setShown(undefined);
        onClose();
      })}
    </>
  );
}

/** Opens the menu, and goes into it. */
export function openMenu(button: HTMLButtonElement | null): void {
  if (!button || button.disabled) return;
  button.click();
  button.popoverTargetElement?.querySelector<HTMLElement>('button:enabled')?.focus();
}
