import { type KeyboardEvent, type ReactNode, useId, useState } from 'react';
import styles from './choice-of-code.module.css';
import { Snippet } from './copy.tsx';

interface CodeTab {
  name: string;
  /** Comes before the code. */
  about?: ReactNode;
  code: string;
}

/** The same thing for several places, one at a time, such as the lines of two CIs. */
export function ChoiceOfCode({ label, tabs }: { label: string; tabs: [CodeTab, ...CodeTab[]] }) {
  const [chosen, choose] = useState(0);
  const id = useId();
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (chosen + step + tabs.length) % tabs.length;
    choose(next);
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus();
  };
  const { about, code } = tabs[chosen] ?? tabs[0];
  return (
    <div className={styles.choice}>
      <div role="tablist" aria-label={label} className={styles.tabs} onKeyDown={onKeyDown}>
        {tabs.map(({ name }, place) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`${id}-${place}`}
            aria-selected={place === chosen}
            aria-controls={`${id}-code`}
            tabIndex={place === chosen ? 0 : -1}
            className={styles.tab}
            onClick={() => choose(place)}
          >
            {name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-code`} aria-labelledby={`${id}-${chosen}`}>
        {about && <p>{about}</p>}
        <Snippet code={code} />
      </div>
    </div>
  );
}
