import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Dialog } from '../dialog.tsx';
import { Field } from '../field.tsx';
import styles from './palette.module.css';
import { type Place, usePlaces } from './palette-places.ts';

/** Goes to a page, a name or an id that is typed or pasted, and begins an action. */
export function Palette({
  projectId,
  takeTyped,
  onClose,
}: {
  projectId: string | undefined;
  /** Returns the text that was typed before the field was there. */
  takeTyped: () => string;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState('');
  // biome-ignore lint/correctness/useExhaustiveDependencies: Once, when the field is there.
  useEffect(() => setTyped(takeTyped()), []);
  const [chosen, setChosen] = useState(0);
  const navigate = useNavigate();
  const text = typed.trim();
  const { places, remark } = usePlaces(projectId, text);
  const list = useRef<HTMLDivElement>(null);
  // Chromium's `scrollIntoView` returns a promise, which must not be the effect's end.
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const go = (place: Place | undefined) => {
    if (!place) return;
    onClose();
    if ('run' in place.act) place.act.run();
    else void navigate(place.act.target as never);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setChosen((chosen + step + places.length) % Math.max(1, places.length));
    else if (event.key === 'Enter') go(places[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <Field
        label="A page, a name or an id"
        type="search"
        role="combobox"
        aria-expanded
        aria-controls="places"
        aria-activedescendant={places[chosen] && `place-${chosen}`}
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div ref={list} id="places" role="listbox" aria-label="Places" className={styles.places}>
        {places.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: The field above has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: The focus stays in the field.
          <div
            key={`${place.kind} ${place.text} ${JSON.stringify(place.act)}`}
            id={`place-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={styles.place}
            onClick={() => go(place)}
          >
            <span className={styles.kind}>{place.kind}</span> {place.text}
          </div>
        ))}
      </div>
      <p role="status" className={styles.remark}>
        {remark}
      </p>
    </Dialog>
  );
}
