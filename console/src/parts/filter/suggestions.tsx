import { useEffect, useRef } from 'react';
import optionStyles from '../option.module.css';
import type { Completion } from './completion.ts';
import styles from './filter.module.css';

/** What the word that is being written can become. The focus stays in the field. */
export function Suggestions<State>({
  id,
  completions,
  chosen,
  choose,
}: {
  id: string;
  completions: Completion<State>[];
  chosen: number;
  choose: (completion: Completion<State>) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  // Chromium's `scrollIntoView` returns a promise, which must not be the effect's end.
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  if (completions.length === 0) return null;
  return (
    <div ref={list} id={id} role="listbox" aria-label="Filters" className={styles.suggestions}>
      {completions.map((completion, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: The field above has the keys.
        // biome-ignore lint/a11y/useFocusableInteractive: The focus stays in the field.
        <div
          key={`${completion.written} ${completion.says}`}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === chosen}
          className={optionStyles.option}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(completion)}
        >
          <code>{completion.written}</code> <span>{completion.says}</span>
        </div>
      ))}
    </div>
  );
}
