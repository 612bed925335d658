import type { ReactNode } from 'react';
import styles from './scrolled-table.module.css';

/** A table that scrolls by itself, by the keyboard too. */
export const ScrolledTable = ({
  label,
  foot,
  children,
}: {
  label: string;
  /** Follows the table, such as how many rows are left out. */
  foot?: ReactNode;
  /** Its head and its body. */
  children: ReactNode;
}) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard.
  <section className={styles.scroll} tabIndex={0} aria-label={label}>
    <table className={styles.table}>{children}</table>
    {foot}
  </section>
);
