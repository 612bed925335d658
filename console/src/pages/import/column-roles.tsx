import { Choice } from '../../parts/field.tsx';
import { visible } from '../../text/format.ts';
import styles from './import.module.css';
import type { Reading } from './messages.ts';
import type { Column } from './overview.ts';

export type Roles = NonNullable<Reading['roles']>;

const names: Record<Roles[string], string> = {
  input: 'input',
  expected: 'expected',
  metadata: 'metadata',
  ignored: 'ignore',
};

/** The role of each column of a table, and the one that names its rows. */
export function ColumnRoles({
  columns,
  hasKeys,
  roles,
  setRoles,
  columnOfKey,
  setColumnOfKey,
}: {
  columns: Column[];
  hasKeys: boolean;
  roles: Roles;
  setRoles: (roles: Roles) => void;
  columnOfKey: string;
  setColumnOfKey: (column: string) => void;
}) {
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by the keyboard. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Columns">
        <table className={styles.table}>
          <thead>
            <tr>
              <th>Column</th>
              <th>In the first row</th>
              <th>Role</th>
            </tr>
          </thead>
          <tbody>
            {columns.map(({ name, role, example }) => (
              <tr key={name}>
                <th scope="row">{visible(name)}</th>
                <td>{visible(example)}</td>
                <td>
                  <select
                    className={styles.select}
                    aria-label={`Role of the column ${visible(name)}`}
                    value={Object.hasOwn(roles, name) ? roles[name] : role}
                    onChange={({ target }) =>
                      setRoles({ ...roles, [name]: target.value as Roles[string] })
                    }
                  >
                    {Object.entries(names).map(([value, text]) => (
                      <option key={value} value={value}>
                        {text}
                      </option>
                    ))}
                  </select>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <div className={styles.target}>
        <Choice
          label="Rows are told apart by"
          value={columnOfKey}
          onChange={({ target }) => setColumnOfKey(target.value)}
          hint="A repeated import updates the testcases that it finds again by it."
        >
          <option value="">{hasKeys ? 'the column _key' : 'their content'}</option>
          {columns.map(({ name }) => (
            <option key={name} value={name}>
              {visible(name)}
            </option>
          ))}
        </Choice>
      </div>
    </>
  );
}
