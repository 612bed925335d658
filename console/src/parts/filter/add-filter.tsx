import { type FormEvent, useId, useState } from 'react';
import { Button } from '../button.tsx';
import { Choice, Field } from '../field.tsx';
import { Popover } from '../popover.tsx';
import styles from './filter.module.css';
import { changeBy, type FilterKind, type FilterLanguage, signOf } from './language.ts';
import type { ChangeFilters } from './use-draft.ts';

interface AddFilterProps<State> {
  language: FilterLanguage<State>;
  state: State;
  change: ChangeFilters<State>;
}

/** The same filters for those who do not write them: what is filtered by, and its value. */
export const AddFilter = <State,>(props: AddFilterProps<State>) => (
  <Popover label="Add filter">
    <AddFilterForm {...props} />
  </Popover>
);

function AddFilterForm<State>({ language, state, change }: AddFilterProps<State>) {
  const [chosen, setChosen] = useState('');
  const [written, setWritten] = useState('');
  const [problem, setProblem] = useState<string>();
  const proposals = useId();
  const kinds = language.kinds.filter(
    ({ isHidden, values, example }) => !isHidden && (values.length > 0 || example !== undefined),
  );
  const kind = kinds.find((one) => idOf(one) === chosen) ?? kinds[0];
  if (!kind) return null;
  const isField = kind.isWritten || kind.values.length === 0;
  const value = isField
    ? written
    : (kind.values.find((known) => known.value === written) ?? kind.values[0]!).value;
  const add = (event: FormEvent) => {
    event.preventDefault();
    const changed = changeBy(kind, state, value);
    if (typeof changed === 'string') return setProblem(changed);
    change(changed, { isReplacing: false });
    setWritten('');
  };
  return (
    <form className={styles.add} onSubmit={add}>
      <Choice
        label="Filter by"
        value={idOf(kind)}
        onChange={({ target }) => {
          setChosen(target.value);
          setWritten('');
          setProblem(undefined);
        }}
      >
        {kinds.map((one) => (
          <option key={idOf(one)} value={idOf(one)}>
            {one.name}
          </option>
        ))}
      </Choice>
      {isField ? (
        <>
          <Field
            label="Value"
            value={written}
            placeholder={kind.example}
            problem={problem}
            list={kind.values.length > 0 ? proposals : undefined}
            onChange={({ target }) => {
              setWritten(target.value);
              setProblem(undefined);
            }}
          />
          <datalist id={proposals}>
            {kind.values.map((known) => (
              <option key={known.value} value={known.value} />
            ))}
          </datalist>
        </>
      ) : (
        <Choice
          label="Value"
          value={value}
          problem={problem}
          onChange={({ target }) => setWritten(target.value)}
        >
          {kind.values.map((known) => (
            <option key={known.value} value={known.value}>
              {known.name ?? known.value}
            </option>
          ))}
        </Choice>
      )}
      <Button kind="main" type="submit">
        Add
      </Button>
    </form>
  );
}

const idOf = <State,>(kind: FilterKind<State>): string => `${kind.key}${signOf(kind)}`;
