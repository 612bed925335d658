import { type ReactNode, type Ref, useId } from 'react';
import buttons from './button.module.css';
import styles from './popover.module.css';

/** A button that shows a panel below itself; a click elsewhere or Escape closes it. */
export function Popover({
  label,
  title,
  kind = 'plain',
  isDisabled,
  ref,
  onOpen,
  children,
}: {
  label: ReactNode;
  /** The name of the button where its label is a sign. */
  title?: string;
  kind?: 'plain' | 'quiet';
  isDisabled?: boolean;
  /** Its button. */
  ref?: Ref<HTMLButtonElement>;
  onOpen?: () => void;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <>
      <button
        ref={ref}
        type="button"
        disabled={isDisabled}
        popoverTarget={id}
        className={`${buttons.button} ${buttons[kind]}`}
        title={title}
        aria-label={title}
      >
        {label}
      </button>
      <div
        id={id}
        popover="auto"
        className={styles.panel}
        onBeforeToggle={({ newState }) => {
          if (newState === 'open') onOpen?.();
        }}
      >
        {children}
      </div>
    </>
  );
}
