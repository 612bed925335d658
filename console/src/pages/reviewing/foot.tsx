import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Keys } from '../../parts/frame/shortcut-help.tsx';
import { type Shortcut, shortcuts } from '../../parts/shortcuts.ts';
import type { ReviewItem } from './calls.ts';
import type { Review } from './review.ts';
import styles from './reviewing.module.css';

/** The keys, each a button too. */
export function Foot({
  review,
  isShown,
  isUndoable,
  toggleExpected,
  tag,
}: {
  review: Review<ReviewItem>;
  isShown: boolean;
  isUndoable: boolean;
  toggleExpected: () => void;
  tag: () => void;
}) {
  const key = (name: Shortcut, text: ReactNode, act: () => void, isOn = isShown) => (
    <Button kind="quiet" title={shortcuts[name].text} disabled={!isOn} onClick={act}>
      <Keys of={name} /> {text}
    </Button>
  );
  return (
    <footer className={styles.foot}>
      <span className={styles.hint}>
        <kbd>1</kbd>…<kbd>5</kbd> Value
      </span>
      <span className={styles.hint}>
        <kbd>Tab</kbd> Metric
      </span>
      {key('goBack', 'Previous', () => review.step(-1), true)}
      {key('skip', 'Next', () => review.step(1))}
      {key('putOff', 'Later', review.putOff)}
      {key('undo', 'Undo', review.undo, isUndoable)}
      {key('tag', 'Tag', tag)}
      {key('expected', 'Expected', toggleExpected)}
      <span className={styles.hint}>
        <Keys of="find" /> Find
      </span>
      <span className={styles.hint}>
        <Keys of="help" /> Help
      </span>
    </footer>
  );
}
