import type { ImportMode } from '@assay/contracts/testcases';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Choice, Field } from '../../../parts/field.tsx';
import { formatCount } from '../../../text/format.ts';
import { noFields, type Testset } from '../fields.ts';
import { SchemaProblem } from '../schema-problem.tsx';
import styles from '../testset.module.css';
import { ColumnTable } from './column-table.tsx';
import { ImportResult } from './import-result.tsx';
import { type ColumnPlan, faultOf, hasKeys, newFields, suggestPlan } from './plan.ts';
import type { Sample } from './sample.ts';
import { useImport } from './use-import.ts';

/** What becomes of testcases by their keys. */
const modes: Record<ImportMode, string> = {
  create: 'Only add: refuse keys that are taken',
  upsert: 'Add, and update those with the same key',
  sync: 'Make the testset this file: also delete all others',
};

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

/** A file that was chosen: the plan for its columns, the check, and the import. */
export function ImportFile({
  testset,
  file,
  sample,
}: {
  testset: Testset;
  file: File;
  sample: Sample;
}) {
  const { projectId } = route.useParams();
  const { format, columns, entries } = sample;
  const isTable = format.kind === 'table';
  const suggest = (definition: Pick<Testset, 'jsonSchema' | 'fieldMapping'>) =>
    suggestPlan(columns, entries, { definition, isTable });
  const [plan, setPlan] = useState<ColumnPlan[]>(() => suggest(testset));
  const [newName, setNewName] = useState<string>();
  const [chosenMode, setMode] = useState<ImportMode>('upsert');
  const mode = newName === undefined && hasKeys(plan) ? chosenMode : 'create';
  const importing = useImport({ projectId, testset, file, format, plan, mode });
  const { state } = importing;
  const definition = newName === undefined ? testset : noFields;
  const added = newFields(plan, definition).length;
  const fault = newName === '' ? 'The new testset has no name.' : faultOf(plan);
  if (state.phase !== 'planning')
    return <ImportResult testset={testset} file={file} format={format} importing={importing} />;
  const chooseTarget = (isNew: boolean) => {
    setNewName(isNew ? file.name.replace(/\.\w+$/, '') : undefined);
    setPlan(suggest(isNew ? noFields : testset));
  };
  return (
    <form
      className={styles.import}
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined) void importing.check(newName).then(() => setNewName(undefined));
      }}
    >
      <div className={styles.target}>
        <Choice
          label="Import into"
          value={newName === undefined ? 'this' : 'new'}
          onChange={({ target }) => chooseTarget(target.value === 'new')}
        >
          <option value="this">This testset</option>
          <option value="new">A new testset</option>
        </Choice>
        {newName !== undefined && (
          <Field
            label="Its name"
            value={newName}
            maxLength={256}
            onChange={({ target }) => setNewName(target.value)}
          />
        )}
        {newName === undefined && hasKeys(plan) && (
          <Choice
            label="Testcases by key"
            value={mode}
            onChange={({ target }) => setMode(target.value as ImportMode)}
          >
            {Object.entries(modes).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </Choice>
        )}
      </div>
      <ColumnTable
        plan={plan}
        entries={entries}
        isTable={isTable}
        definition={definition}
        change={(index, part) =>
          setPlan(plan.map((one, at) => (at === index ? { ...one, ...part } : one)))
        }
      />
      <p className={styles.hint}>
        The first {formatCount(Math.min(20, entries.length))} rows are shown. Types were found from
        the first {formatCount(entries.length)}.
      </p>
      {state.error && <SchemaProblem error={state.error} />}
      <div className={styles.foot}>
        <Button kind="main" type="submit" disabled={fault !== undefined}>
          {newName !== undefined
            ? 'Create the testset and check'
            : added > 0
              ? `Add ${added === 1 ? 'the field' : `${added} fields`} and check`
              : 'Check'}
        </Button>
        <p role="status">{fault}</p>
      </div>
    </form>
  );
}
