import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { Button } from './button.tsx';
import styles from './dialog.module.css';
import { focusFirst } from './dialog-focus.ts';

/**
 * A modal dialog, shown as long as it is rendered. It opens on its first field; an element with
 * `data-focus-first` comes before it. Escape and the close button call `onClose`, and ask first
 * where something was typed. Left out: only a button inside closes it. Afterwards, the
 * focus is where it was before.
 */
export function Dialog({
  title,
  isSaved = false,
  onClose,
  children,
}: {
  title: string;
  /** Whether the text that was typed is stored: closing loses nothing then. */
  isSaved?: boolean;
  onClose?: (() => void) | undefined;
  children: ReactNode;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isTyped = useRef(false);
  const [isAsking, ask] = useState(false);
  const id = useId();
  useLayoutEffect(() => focusFirst(dialog.current!), []);
  // Another title is the next step: the text of the one before is stored.
  // biome-ignore lint/correctness/useExhaustiveDependencies: See above.
  useEffect(() => {
    isTyped.current = false;
  }, [title]);
  const leave = () => {
    if (isTyped.current && !isSaved) ask(true);
    else onClose?.();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.defaultPrevented || event.nativeEvent.isComposing) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
      formOf(event.target)?.requestSubmit();
    else if (event.key !== 'Escape') return;
    else if (isAsking) ask(false);
    else leave();
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-labelledby={id}
      onKeyDown={onKeyDown}
      onInput={({ target }) => {
        // A search loses nothing.
        if ((target as HTMLInputElement).type !== 'search') isTyped.current = true;
      }}
      onReset={() => {
        // A form that was sent, and takes the next.
        isTyped.current = false;
      }}
      onCancel={(event) => {
        // The way back of a telephone.
        event.preventDefault();
        leave();
      }}
    >
      <h2 id={id} className={styles.title}>
        {title}
      </h2>
      {children}
      {isAsking && (
        <div role="alertdialog" aria-label="Discard what you typed?" className={styles.asking}>
          <p>Discard what you typed?</p>
          <Button autoFocus onClick={() => ask(false)}>
            Keep editing
          </Button>
          <Button kind="danger" onClick={onClose}>
            Discard
          </Button>
        </div>
      )}
      {onClose && (
        <Button kind="quiet" className={styles.close} onClick={leave} aria-label="Close">
          ✕
        </Button>
      )}
    </dialog>
  );
}

const formOf = (target: EventTarget): HTMLFormElement | null =>
  (target as HTMLElement).closest('form');

/** The buttons at the foot of a dialog or a form. */
export const Actions = ({ children }: { children: ReactNode }) => (
  <div className={styles.actions}>{children}</div>
);
