import { hasWords, wordsOf } from '@assay/contracts/name-words';
import { type ReactNode, useState } from 'react';
import { visible } from '../text/format.ts';
import styles from './checkboxes.module.css';

/** Above so many, one is found by its name. */
const overlookedMax = 12;

/** Something that is chosen by a checkbox. */
interface Choosable {
  id: string;
  name: string;
  /** Stands below the name. */
  hint?: ReactNode;
}

interface CheckboxesProps {
  legend: string;
  items: readonly Choosable[];
  chosen: readonly string[];
  setChosen: (ids: string[]) => void;
  /** Under which a form has the ids. */
  name?: string;
}

/** Chooses some of several things, each with a line that says more of it. */
export function Checkboxes({ legend, items, chosen, setChosen, name }: CheckboxesProps) {
  const [text, setText] = useState('');
  const words = wordsOf(text);
  const found = items.filter((item) => hasWords(item.name, words));
  return (
    <fieldset className={styles.choices}>
      <legend>{legend}</legend>
      {items.length > overlookedMax && (
        <Find legend={legend} text={text} setText={setText} found={found.length} />
      )}
      {items.map((item) => (
        // A choice stays in the form, shown or not.
        <label key={item.id} hidden={!found.includes(item)}>
          <input
            type="checkbox"
            name={name}
            value={item.id}
            checked={chosen.includes(item.id)}
            onChange={({ target }) =>
              setChosen(
                target.checked ? [...chosen, item.id] : chosen.filter((one) => one !== item.id),
              )
            }
          />
          <span>
            {visible(item.name)}
            {item.hint && <small>{item.hint}</small>}
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** Leaves those of a long list that have the words of a text. */
const Find = ({
  legend,
  text,
  setText,
  found,
}: {
  legend: string;
  text: string;
  setText: (text: string) => void;
  found: number;
}) => (
  <div className={styles.find}>
    <input
      type="search"
      aria-label={`${legend}: find by name`}
      placeholder="Find by name"
      value={text}
      onChange={({ target }) => setText(target.value)}
      onKeyDown={(event) => {
        // Enter would send the form around it.
        if (event.key === 'Enter') event.preventDefault();
      }}
    />
    <p role="status">{text.trim() === '' ? '' : `${found} found`}</p>
  </div>
);
