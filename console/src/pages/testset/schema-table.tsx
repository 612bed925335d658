import { useEffect, useRef, useState } from 'react';
import { fieldTypes } from '../../files/columns.ts';
import { Button } from '../../parts/button.tsx';
import { ScrolledTable } from '../../parts/scrolled-table.tsx';
import { visible } from '../../text/format.ts';
import {
  type Definition,
  type Field,
  fieldsOf,
  type Role,
  roles,
  withField,
  withoutField,
} from './fields.ts';
import styles from './testset.module.css';

/** The fields of a schema, each in a row that can be changed. */
export function SchemaTable({
  definition,
  change,
}: {
  definition: Definition;
  change: (definition: Definition) => void;
}) {
  const fields = fieldsOf(definition);
  const [added, setAdded] = useState<string>();
  const [moved, setMoved] = useState<string>();
  const add = () => {
    const taken = new Set(fields.map(({ name }) => name));
    let number = fields.length + 1;
    while (taken.has(`field${number}`)) number += 1;
    const name = `field${number}`;
    setAdded(name);
    change(withField(definition, name, { role: 'inputs', type: 'string' }));
  };
  return (
    <>
      {fields.length > 0 && (
        <ScrolledTable label="Fields">
          <thead>
            <tr>
              <th>Name</th>
              <th>Type</th>
              <th>Role</th>
              <th>Required</th>
              <th>Description</th>
              <th>
                <span className="for-screen-readers">Remove</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map((field, index) => (
              <FieldRow
                // biome-ignore lint/suspicious/noArrayIndexKey: a row stays while its name is typed.
                key={index}
                field={field}
                isAdded={field.name === added}
                isMoved={field.name === moved}
                isTaken={(name) => fields.some((one) => one !== field && one.name === name)}
                change={(part) => {
                  setMoved(part.role && field.name);
                  change(withField(definition, field.name, part));
                }}
                remove={() => change(withoutField(definition, field.name))}
              />
            ))}
          </tbody>
        </ScrolledTable>
      )}
      {fields.length === 0 && <p>No fields yet: what is a testcase to have?</p>}
      <p>
        <Button onClick={add}>Add a field</Button>
      </p>
    </>
  );
}

function FieldRow({
  field: { name, type, types, role, isRequired, description },
  isAdded,
  isMoved,
  isTaken,
  change,
  remove,
}: {
  field: Field;
  /** Whether it is the newest, which still has the name that it was given. */
  isAdded: boolean;
  /** Whether another role has just moved it to the fields of that role. */
  isMoved: boolean;
  isTaken: (name: string) => boolean;
  change: (part: Parameters<typeof withField>[2]) => void;
  remove: () => void;
}) {
  const shown = visible(name);
  const roleChoice = useRef<HTMLSelectElement>(null);
  useEffect(() => {
    // Else the next key would change the field that came to the old place.
    if (isMoved) roleChoice.current?.focus();
  }, [isMoved]);
  return (
    <tr>
      <td>
        <NameInput
          name={name}
          isAdded={isAdded}
          isTaken={isTaken}
          rename={(to) => change({ name: to })}
        />
      </td>
      <td>
        <select
          aria-label={`Type of ${shown}`}
          className={styles.input}
          value={type}
          onChange={({ target }) => change({ type: target.value as Field['type'] })}
        >
          {fieldTypes.map((one) => (
            <option key={one}>{one}</option>
          ))}
          {type === 'other' && (
            <option value="other">{types.join(' or ') || 'as JSON says'}</option>
          )}
        </select>
      </td>
      <td>
        <select
          ref={roleChoice}
          aria-label={`Role of ${shown}`}
          className={styles.input}
          value={role}
          onChange={({ target }) => change({ role: target.value as Role })}
        >
          {Object.entries(roles).map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      </td>
      <td>
        <label className={styles.check}>
          <input
            type="checkbox"
            checked={isRequired}
            onChange={({ target }) => change({ isRequired: target.checked })}
          />
          <span className="for-screen-readers">{shown} is required</span>
        </label>
      </td>
      <td>
        <input
          aria-label={`Description of ${shown}`}
          className={styles.input}
          value={description}
          onChange={({ target }) => change({ description: target.value })}
        />
      </td>
      <td>
        <Button kind="quiet" onClick={remove} aria-label={`Remove ${shown}`}>
          ✕
        </Button>
      </td>
    </tr>
  );
}

/** A name is taken over when it is whole: two fields cannot have one name, nor any none. */
function NameInput({
  name,
  isAdded,
  isTaken,
  rename,
}: {
  name: string;
  isAdded: boolean;
  isTaken: (name: string) => boolean;
  rename: (name: string) => void;
}) {
  const [typed, setTyped] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  // It stands with the fields of its role, which may be far from the button.
  useEffect(() => {
    if (!isAdded) return;
    input.current?.focus();
    input.current?.select();
  }, [isAdded]);
  const isWrong = typed !== undefined && (typed === '' || isTaken(typed));
  const take = () => {
    if (typed !== undefined && typed !== name && !isWrong) rename(typed);
    if (!isWrong) setTyped(undefined);
  };
  return (
    <>
      <input
        ref={input}
        aria-label={`Name of ${visible(name)}`}
        aria-invalid={isWrong}
        className={styles.input}
        value={typed ?? name}
        onChange={({ target }) => setTyped(target.value)}
        onBlur={take}
        onKeyDown={({ key }) => {
          if (key === 'Enter') take();
          if (key === 'Escape') setTyped(undefined);
        }}
      />
      {isWrong && (
        <p role="alert" className={styles.problem}>
          {typed === '' ? 'A field has a name.' : 'Another field has this name.'}
        </p>
      )}
    </>
  );
}
