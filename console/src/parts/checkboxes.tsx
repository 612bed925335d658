import type { ReactNode } from 'react';
import { visible } from '../text/format.ts';
import styles from './checkboxes.module.css';

/** Something that is chosen by a checkbox. */
interface Choosable {
  id: string;
  name: string;
  /** Stands below the name. */
  hint: ReactNode;
}

/** Chooses some of several things, each with a line that says more of it. */
export const Checkboxes = ({
  legend,
  items,
  chosen,
  setChosen,
}: {
  legend: string;
  items: readonly Choosable[];
  chosen: readonly string[];
  setChosen: (ids: string[]) => void;
}) => (
  <fieldset className={styles.choices}>
    <legend>{legend}</legend>
    {items.map(({ id, name, hint }) => (
      <label key={id}>
        <input
          type="checkbox"
          checked={chosen.includes(id)}
          onChange={({ target }) =>
            setChosen(target.checked ? [...chosen, id] : chosen.filter((one) => one !== id))
          }
        />
        <span>
          {visible(name)}
          <small>{hint}</small>
        </span>
      </label>
    ))}
  </fieldset>
);
