import { useLocation } from '@tanstack/react-router';
import { type ReactNode, type Ref, useEffect, useId, useRef } from 'react';
import buttons from './button.module.css';
import styles from './popover.module.css';
import { walkPanel } from './popover-keys.ts';

/**
 * A button that shows a panel below itself. A click elsewhere and Escape close it, and so does all
 * that changes the address: another page, or a choice in it, after which it would lie over the
 * choice. An element with `data-focus-first` gets the focus; arrows walk its links and buttons.
 */
export function Popover({
  label,
  title,
  kind = 'plain',
  className = '',
  isDisabled,
  ref,
  onOpen,
  children,
}: {
  label: ReactNode;
  /** The name of the button where its label is a sign. */
  title?: string;
  kind?: 'main' | 'plain' | 'quiet';
  /** Of its button. */
  className?: string;
  isDisabled?: boolean;
  /** Its button. */
  ref?: Ref<HTMLButtonElement>;
  onOpen?: () => void;
  children: ReactNode;
}) {
  const id = useId();
  const panel = useRef<HTMLDivElement>(null);
  const address = useLocation({ select: ({ href }) => href });
  // biome-ignore lint/correctness/useExhaustiveDependencies: At each other address.
  useEffect(() => panel.current?.hidePopover(), [address]);
  return (
    <>
      <button
        ref={ref}
        type="button"
        disabled={isDisabled}
        popoverTarget={id}
        className={`${buttons.button} ${buttons[kind]} ${className}`}
        title={title}
        aria-label={title}
        onKeyDown={(event) => walkPanel(event, panel.current)}
      >
        {label}
      </button>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: Its links and buttons have the keys. */}
      <div
        id={id}
        ref={panel}
        popover="auto"
        className={styles.panel}
        onKeyDown={(event) => walkPanel(event, panel.current)}
        onBeforeToggle={({ newState }) => {
          if (newState === 'open') onOpen?.();
        }}
        onToggle={({ newState, currentTarget }) => {
          if (newState === 'open')
            currentTarget.querySelector<HTMLElement>('[data-focus-first]')?.focus();
        }}
      >
        {children}
      </div>
    </>
  );
}
