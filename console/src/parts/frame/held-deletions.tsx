import { useEffect, useRef, useState } from 'react';
import {
  type HeldDeletion,
  sendHeld,
  undoDeletion,
  useHeldDeletions,
} from '../../api/held-deletions.ts';
import { visible } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { useLeavingFocus } from '../leaving-focus.ts';
import styles from './held-deletions.module.css';

/** The deletions that can still be undone, at the foot of every page. */
export function HeldDeletions() {
  const held = useHeldDeletions();
  return (
    <div className={styles.held} role="status">
      {held.map((deletion) => (
        <Deletion key={deletion.id} deletion={deletion} />
      ))}
    </div>
  );
}

function Deletion({ deletion: { id, thing, sentAt, error } }: { deletion: HeldDeletion }) {
  const seconds = useSecondsUntil(sentAt);
  const line = useRef<HTMLParagraphElement>(null);
  useLeavingFocus(line);
  return (
    <p ref={line} className={styles.deletion}>
      <span>
        {visible(thing)} {error ? `is not deleted: ${error.message}` : 'is being deleted.'}
      </span>
      <span aria-hidden="true">{error ? '' : `${seconds} s`}</span>
      <Button onClick={() => undoDeletion(id)}>{error ? 'Keep it' : 'Undo'}</Button>
      <Button kind="danger" onClick={() => void sendHeld(id)}>
        {error ? 'Try again' : 'Delete now'}
      </Button>
    </p>
  );
}

function useSecondsUntil(time: number): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  return Math.max(0, Math.ceil((time - now) / 1000));
}
