import { Choice } from '../../parts/field.tsx';
import { ScrolledTable } from '../../parts/scrolled-table.tsx';
import { visible } from '../../text/format.ts';
import styles from './import.module.css';
import type { Reading } from './messages.ts';
import type { Column } from './overview.ts';

export type Roles = NonNullable<Reading['roles']>;

/** The role of a column: the chosen one, else the one that its name suggests. */
export const roleOf = ({ name, role }: Column, roles: Roles): Roles[string] =>
  Object.hasOwn(roles, name) ? roles[name]! : role;

const names: Record<Roles[string], string> = {
  input: 'input',
  expected: 'expected',
  metadata: 'metadata',
  output: 'output',
  ignored: 'ignore',
};

/** The roles of all columns. Each is said: the guess for one depends on the others. */
export const rolesOf = (columns: Column[], roles: Roles): Roles => ({
  ...roles,
  ...Object.fromEntries(columns.map((column) => [column.name, roleOf(column, roles)])),
});

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
      <ScrolledTable label="Columns">
        <thead>
          <tr>
            <th>Column</th>
            <th>In the first row</th>
            <th>Role</th>
          </tr>
        </thead>
        <tbody>
          {columns.map(({ name, example, ...column }) => (
            <tr key={name}>
              <th scope="row">{visible(name)}</th>
              <td>{visible(example)}</td>
              <td>
                <select
                  className={styles.select}
                  aria-label={`Role of the column ${visible(name)}`}
                  value={roleOf({ name, example, ...column }, roles)}
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
      </ScrolledTable>
      <div className={styles.target}>
        <Choice
          label="Key of each row"
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
