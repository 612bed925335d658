import type { ReactNode } from 'react';
import { Snippet } from './copy.tsx';
import styles from './empty.module.css';

/** Says what belongs here, and the two ways to get it: by a button, and by a command. */
export function Empty({
  title,
  children,
  action,
  command,
}: {
  title: string;
  /** One sentence that says what the thing is. */
  children: ReactNode;
  action?: ReactNode;
  command?: string;
}) {
  return (
    <div className={styles.empty} data-empty>
      <h2>{title}</h2>
      <p>{children}</p>
      {action}
      {command && (
        <>
          <p className={styles.or}>Or from a terminal:</p>
          <Snippet code={command} />
        </>
      )}
    </div>
  );
}
