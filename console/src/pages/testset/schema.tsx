import { isObject } from '@assay/json/value';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { visible } from '../../text/format.ts';
import { indentedJson, parseObject } from '../../text/json.ts';
import { type Definition, roles, type Testset } from './fields.ts';
import { SchemaCheck } from './schema-check.tsx';
import { SchemaProblem } from './schema-problem.tsx';
import { SchemaTable } from './schema-table.tsx';
import { TagsField } from './tags.tsx';
import styles from './testset.module.css';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

const write = ({ jsonSchema, fieldMapping }: Definition): string =>
  indentedJson({ jsonSchema, fieldMapping });

/**
 * The fields of a testset as a table or as JSON. The JSON is the one truth: the table shows it, and
 * changes it.
 */
export function Schema({ testset }: { testset: Testset }) {
  const { view = 'table' } = route.useSearch();
  const stored = write(testset);
  const [draft, setDraft] = useState(stored);
  const [isChecking, setChecking] = useState(false);
  const save = useChange('PATCH', '/testsets/:testsetId', {
    refreshes: ['/testsets/:testsetId', '/testsets/:testsetId/testcases'],
  });
  const definition = readDefinition(draft);
  const problem = definition instanceof Error ? definition.message : undefined;
  const isChanged = draft !== stored;
  const store = () => {
    setChecking(false);
    if (definition instanceof Error) return;
    save.mutate(
      { params: { testsetId: testset.id }, body: definition },
      { onSuccess: (changed) => setDraft(write(changed)) },
    );
  };
  return (
    <div className={styles.schema}>
      <TagsField testset={testset} />
      <Tabs
        label="View of the schema"
        tabs={[
          { text: 'Fields', search: { view: undefined }, isCurrent: view === 'table' },
          { text: 'JSON', search: { view: 'json' }, isCurrent: view === 'json' },
        ]}
      />
      {view === 'json' ? (
        <Field
          label="Schema and roles (JSON)"
          rows={24}
          spellCheck={false}
          value={draft}
          onChange={({ target }) => setDraft(target.value)}
          problem={problem}
        />
      ) : definition instanceof Error ? (
        <p role="alert">{problem} Correct it as JSON.</p>
      ) : (
        <SchemaTable definition={definition} change={(changed) => setDraft(write(changed))} />
      )}
      {save.error && <SchemaProblem error={save.error} />}
      {isChecking && !(definition instanceof Error) && (
        <SchemaCheck
          testsetId={testset.id}
          jsonSchema={definition.jsonSchema}
          save={store}
          onClose={() => setChecking(false)}
        />
      )}
      <div className={styles.foot}>
        <Button
          kind="main"
          disabled={!isChanged || problem !== undefined}
          isBusy={save.isPending}
          onClick={() => setChecking(true)}
        >
          Save
        </Button>
        <Button disabled={!isChanged} onClick={() => setDraft(stored)}>
          Undo
        </Button>
        <p role="status">{isChanged ? 'Not saved yet.' : save.isSuccess ? 'Saved.' : ''}</p>
      </div>
    </div>
  );
}

/** Reads the JSON of schema and roles, or returns an error with its fault. */
function readDefinition(text: string): Definition | Error {
  const value = parseObject(text);
  if (value instanceof Error) return value;
  const { jsonSchema, fieldMapping, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined)
    return new Error(`“${visible(other)}” is neither jsonSchema nor fieldMapping.`);
  if (!isObject(jsonSchema)) return new Error('“jsonSchema” must be an object.');
  for (const role of Object.keys(roles)) {
    const names = isObject(fieldMapping) ? fieldMapping[role] : undefined;
    if (!Array.isArray(names) || names.some((name) => typeof name !== 'string'))
      return new Error(`“fieldMapping” must have a list of names under “${role}”.`);
  }
  return { jsonSchema, fieldMapping: fieldMapping as Definition['fieldMapping'] };
}
