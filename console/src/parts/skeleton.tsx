import type { ReactNode } from 'react';
import styles from './skeleton.module.css';

/**
 * The place of what is still being read, with the height that it will have: so nothing below it
 * moves when it comes. The content, such as an empty state, may be lower.
 */
export const Skeleton = ({ rem, children }: { rem: number; children?: ReactNode }) => (
  <div
    aria-hidden={children ? undefined : true}
    className={children ? undefined : styles.skeleton}
    style={{ minBlockSize: `${rem}rem` }}
  >
    {children}
  </div>
);
