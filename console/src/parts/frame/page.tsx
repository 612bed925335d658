import { type ReactNode, useEffect, useRef } from 'react';
import styles from './page.module.css';

/**
 * A page: its title, what can be done, and the rest. The title has the focus after navigation, so
 * that a screen reader says where one is.
 */
export function Page({
  title,
  above,
  actions,
  children,
}: {
  title: string;
  /** Leads up, or names the whole that the page is of. */
  above?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Assay`;
  }, [title]);
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main id="main" className={styles.page}>
      <header className={styles.head}>
        <div>
          {above && <p className={styles.above}>{above}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </main>
  );
}
