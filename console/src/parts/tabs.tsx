import { Link } from '@tanstack/react-router';
import styles from './tabs.module.css';

/** Parts of a page; each has a URL of its own, so that it can be shared and gone back to. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: { text: string; search: Record<string, unknown>; isCurrent: boolean }[];
}) {
  return (
    <nav aria-label={label} className={styles.tabs}>
      {tabs.map(({ text, search, isCurrent }) => (
        <Link
          key={text}
          to="."
          search={(before: object) => ({ ...before, ...search })}
          resetScroll={false}
          aria-current={isCurrent ? 'page' : undefined}
          activeProps={{ 'aria-current': isCurrent ? 'page' : undefined }}
          className={isCurrent ? styles.current : styles.tab}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}
