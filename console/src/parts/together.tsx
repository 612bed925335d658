import { useIsFetching } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import styles from './together.module.css';

/** One part may ask for more by the answer of another. In ms. */
const settledMs = 50;
/** A part that takes longer is not waited for. In ms. */
const longestMs = 1500;

/** Shows parts of unknown heights when all that they read is there, so that none moves another. */
export function Together({ children }: { children: ReactNode }) {
  const reading = useIsFetching({ predicate: ({ state }) => state.data === undefined });
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), longestMs);
    return () => clearTimeout(timer);
  }, []);
  useEffect(() => {
    if (reading > 0) return;
    const timer = setTimeout(() => setShown(true), settledMs);
    return () => clearTimeout(timer);
  }, [reading]);
  return <div className={isShown ? styles.shown : styles.hidden}>{children}</div>;
}
