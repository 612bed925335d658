import { type ReactNode, useId } from 'react';
import buttons from './button.module.css';
import styles from './popover.module.css';

/** A button that shows a panel below itself; a click elsewhere or Escape closes it. */
export function Popover({
  label,
  title,
  kind = 'plain',
  children,
}: {
  label: ReactNode;
  /** What the button is called where its label is a sign. */
  title?: string;
  kind?: 'plain' | 'quiet';
  children: ReactNode;
}) {
  const id = useId();
  return (
    <>
      <button
        type="button"
        popoverTarget={id}
        className={`${buttons.button} ${buttons[kind]}`}
        title={title}
        aria-label={title}
      >
        {label}
      </button>
      <div id={id} popover="auto" className={styles.panel}>
        {children}
      </div>
    </>
  );
}
