import { type FieldType, fieldTypes } from '../../../files/columns.ts';
import type { Entry } from '../../../files/entries.ts';
import { ScrolledTable } from '../../../parts/scrolled-table.tsx';
import { visible } from '../../../text/format.ts';
import { type Definition, fieldsOf, roles } from '../fields.ts';
import styles from '../testset.module.css';
import type { ColumnPlan } from './plan.ts';

const shownRows = 20;
const shownCharacters = 120;

/** The beginning of a file, and above each column the field that it becomes. */
export function ColumnTable({
  plan,
  entries,
  isTable,
  definition,
  change,
}: {
  plan: ColumnPlan[];
  entries: Entry[];
  isTable: boolean;
  definition: Definition;
  change: (index: number, part: Partial<ColumnPlan>) => void;
}) {
  const fields = new Map(fieldsOf(definition).map((field) => [field.name, field]));
  return (
    <div className={styles.columns}>
      <ScrolledTable label="Columns of the file">
        <thead>
          <tr>
            <th>Row</th>
            {plan.map(({ column }) => (
              <th key={column}>{visible(column)}</th>
            ))}
          </tr>
          <tr>
            <th>becomes</th>
            {plan.map(({ column, field, role, type }, index) => {
              const known = fields.get(field);
              const isIgnored = role === 'ignore' || role === 'key';
              return (
                <td key={column}>
                  <div className={styles.becomes}>
                    <input
                      aria-label={`Field for the column ${visible(column)}`}
                      className={styles.input}
                      value={field}
                      disabled={isIgnored}
                      onChange={({ target }) => change(index, { field: target.value })}
                    />
                    <select
                      aria-label={`Role of the column ${visible(column)}`}
                      className={styles.input}
                      value={isIgnored ? role : (known?.role ?? role)}
                      onChange={({ target }) =>
                        change(index, { role: target.value as ColumnPlan['role'] })
                      }
                    >
                      {Object.entries(roles)
                        .filter(([value]) => !known || value === known.role)
                        .map(([value, text]) => (
                          <option key={value} value={value}>
                            {text}
                          </option>
                        ))}
                      <option value="key">key</option>
                      <option value="ignore">ignore</option>
                    </select>
                    <select
                      aria-label={`Type of the column ${visible(column)}`}
                      className={styles.input}
                      value={known ? known.type : type}
                      disabled={isIgnored || known !== undefined}
                      onChange={({ target }) => change(index, { type: target.value as FieldType })}
                    >
                      {fieldTypes.map((one) => (
                        <option key={one}>{one}</option>
                      ))}
                      {known?.type === 'other' && (
                        <option value="other">{known.types.join(' or ') || 'other'}</option>
                      )}
                    </select>
                    {!known && !isIgnored && <small>new field</small>}
                  </div>
                </td>
              );
            })}
          </tr>
        </thead>
        <tbody>
          {entries.slice(0, shownRows).map((entry) => (
            <tr key={entry.number}>
              <th scope="row">{entry.number}</th>
              {entry.problem ? (
                <td colSpan={plan.length} className={styles.problem}>
                  ✗ {visible(entry.problem)}
                </td>
              ) : (
                plan.map(({ column, role }) => (
                  <td key={column} className={role === 'ignore' ? styles.ignored : undefined}>
                    {shownValue(entry.values.get(column), isTable)}
                  </td>
                ))
              )}
            </tr>
          ))}
        </tbody>
      </ScrolledTable>
    </div>
  );
}

function shownValue(value: string | undefined, isTable: boolean): string {
  if (value === undefined) return '';
  const text = !isTable && value.startsWith('"') ? (JSON.parse(value) as string) : value;
  return visible(text.length > shownCharacters ? `${text.slice(0, shownCharacters)} …` : text);
}
