import type { ReactNode } from 'react';
import { Button } from '../button.tsx';
import styles from './grid.module.css';

/** The panel beside the rows. The focus stays in the rows. */
export function PeekPanel({
  title,
  onClose,
  children,
}: {
  title: string;
  onClose: () => void;
  children: ReactNode;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls must be reached by keys.
    <section className={styles.panel} aria-label={title} tabIndex={0}>
      <header className={styles.panelHead}>
        <h2>{title}</h2>
        <Button kind="quiet" aria-label="Close" title="Close: Space, Esc" onClick={onClose}>
          ✕
        </Button>
      </header>
      {children}
    </section>
  );
}
