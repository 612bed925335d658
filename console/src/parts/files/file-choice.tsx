import type { ReactNode } from 'react';
import styles from './files.module.css';

/** The place where files are chosen, or dropped. */
export const FileChoice = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className={styles.choice}>
    <h2>{title}</h2>
    {children}
  </div>
);

/** Lies over the page while something is dragged over it. */
export const DropHere = ({ children }: { children: ReactNode }) => (
  <p className={styles.dropHere}>{children}</p>
);
