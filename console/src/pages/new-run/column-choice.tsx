import { Field } from '../../parts/field.tsx';
import { visible } from '../../text/format.ts';
import styles from './new-run.module.css';

/** The names of runs by their columns; undefined for a column that becomes none. */
export type RunNames = Record<string, string | undefined>;

/** Chooses the columns that become runs, and their names. */
export function ColumnChoice({
  columns,
  nameOf,
  names,
  setNames,
}: {
  columns: string[];
  nameOf: (column: string) => string | undefined;
  names: RunNames;
  setNames: (names: RunNames) => void;
}) {
  if (columns.length === 0) return null;
  return (
    <fieldset className={styles.columns}>
      <legend>Columns of answers: each becomes a run</legend>
      {columns.map((column) => {
        const name = nameOf(column);
        const set = (value: string | undefined) => setNames({ ...names, [column]: value });
        return (
          <div key={column} className={styles.column}>
            <label>
              <input
                type="checkbox"
                checked={name !== undefined}
                onChange={({ target }) => set(target.checked ? column : undefined)}
              />
              {visible(column)}
            </label>
            {name !== undefined && (
              <Field
                label={`Name of the run of ${visible(column)}`}
                value={name}
                maxLength={256}
                onChange={({ target }) => set(target.value)}
              />
            )}
          </div>
        );
      })}
    </fieldset>
  );
}
