import { type ReactNode, useEffect, useRef } from 'react';
import { useStuckHeight } from '../stuck-height.ts';
import styles from './page.module.css';
import { usePageTitle } from './page-title.ts';

/**
 * A page: the way up, its title, a line of facts, its actions, and the rest. The title has the
 * focus after navigation, so that a screen reader says where one is.
 */
export function Page({
  title,
  kind,
  above,
  facts,
  actions,
  children,
}: {
  title: string;
  /** What the title is the name of, such as a run. */
  kind?: string;
  /** Leads up, or names the whole that the page is of. */
  above?: ReactNode;
  /** What it is made of, and when and by whom, in one line. */
  facts?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const heading = useRef<HTMLHeadingElement>(null);
  const head = useRef<HTMLElement>(null);
  usePageTitle(title, kind);
  useStuckHeight(head, '--head');
  useEffect(() => heading.current?.focus({ preventScroll: true }), []);
  return (
    <main id="main" className={styles.page}>
      <header ref={head} className={styles.head}>
        <div className={styles.name}>
          {above && <p className={styles.above}>{above}</p>}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {facts && <p className={styles.facts}>{facts}</p>}
        </div>
        {actions && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </main>
  );
}
