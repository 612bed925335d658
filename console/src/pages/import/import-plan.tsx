import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { countOf, visible } from '../../text/format.ts';
import { Broken } from './broken.tsx';
import { ColumnRoles, type Roles } from './column-roles.tsx';
import styles from './import.module.css';
import { Losses } from './losses.tsx';
import type { FoundImport, Reading, Target } from './messages.ts';
import type { Overview } from './overview.ts';
import { FormatChoice } from './unknown.tsx';
import type { Importing } from './use-import.ts';

const newProject = 'new';
const nothing = 'There is nothing in it that could be imported.';
/** The end of the reason for which scores of words are lost. */
const asksForWords = 'say which of them pass.';
/** Testsets whose names can be changed: a form with more is none. */
const namedMax = 20;

/** The contents of the files, and where they go. */
export function ImportPlan({
  importing,
  found,
  projectId,
}: {
  importing: Importing;
  found: Extract<FoundImport, { kind: 'source' }>;
  projectId: string | undefined;
}) {
  const { format, isTable, overview, formats } = found;
  const { testsets, columns, losses } = overview;
  const { picked, state, look } = importing;
  const projects = useList('/projects');
  const [target, setTarget] = useState(projectId ?? newProject);
  const [projectName, setProjectName] = useState(picked!.name.replace(/\.\w+$/, ''));
  const [names, setNames] = useState<Record<string, string>>({});
  const [roles, setRoles] = useState<Roles>({});
  const [key, setKey] = useState('');
  const [words, setWords] = useState(importing.reading.words ?? '');
  const nameOf = (ref: string, own: string) => names[ref] ?? own;
  const isEmpty = Object.values(overview.counts).every((count) => count === 0);
  const fault = isEmpty
    ? nothing
    : faultOf(
        testsets.map(({ ref, name }) => nameOf(ref, name)),
        target === newProject ? projectName : undefined,
      );
  const reading: Reading = {
    format: format.name,
    words,
    ...(isTable ? { roles, ...(key === '' ? {} : { key }) } : {}),
  };
  const where = (): Target =>
    target === newProject
      ? { name: projectName.trim() }
      : { id: target, name: projects.loaded.find(({ id }) => id === target)?.name ?? '' };
  return (
    <form
      className={styles.import}
      hidden={importing.isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        if (fault === undefined) void importing.import(found, { reading, names, target: where() });
      }}
    >
      <p role="status">
        <strong>{isEmpty ? '' : inWords(overview)}</strong>
      </p>
      <Losses losses={losses} />
      {(words !== '' || losses.some(({ reason }) => reason.endsWith(asksForWords))) && (
        <div className={styles.words}>
          <Field
            label="Words that pass"
            rows={3}
            value={words}
            onChange={({ target }) => setWords(target.value)}
            hint="A metric a line: tone=good,ok:bad has the words that pass, and after the colon those that do not."
          />
          <Button onClick={() => void look(picked!, reading)}>Read again</Button>
        </div>
      )}
      <div className={styles.target}>
        <Choice
          label="Import into"
          value={target}
          onChange={({ target }) => setTarget(target.value)}
        >
          <option value={newProject}>A new project</option>
          {projectId && !projects.loaded.some(({ id }) => id === projectId) && (
            <option value={projectId}>This project</option>
          )}
          {projects.loaded.map(({ id, name }) => (
            <option key={id} value={id}>
              {visible(name)}
            </option>
          ))}
        </Choice>
        {target === newProject && (
          <Field
            label="Its name"
            value={projectName}
            maxLength={256}
            onChange={({ target }) => setProjectName(target.value)}
          />
        )}
        <FormatChoice
          formats={formats}
          format={format.name}
          choose={(name) => void look(picked!, { format: name })}
        />
      </div>
      {testsets.length > 0 && testsets.length <= namedMax && (
        <div className={styles.target}>
          {testsets.map(({ ref, name, testcases }) => (
            <Field
              key={ref}
              label={testsets.length === 1 ? 'Name of the testset' : `Testset ${visible(name)}`}
              value={nameOf(ref, name)}
              maxLength={256}
              onChange={({ target }) => setNames({ ...names, [ref]: target.value })}
              hint={countOf(testcases, 'testcase')}
            />
          ))}
        </div>
      )}
      {isTable && columns.length > 0 && (
        <ColumnRoles
          columns={columns}
          hasKeys={overview.hasKeys}
          roles={roles}
          setRoles={setRoles}
          columnOfKey={key}
          setColumnOfKey={setKey}
        />
      )}
      <Broken state={state} />
      <div className={styles.foot}>
        <Button kind="main" type="submit" disabled={fault !== undefined}>
          {state.phase === 'broken' ? 'Import again' : 'Import'}
        </Button>
        <p role="status">{fault}</p>
      </div>
    </form>
  );
}

function faultOf(testsets: string[], project: string | undefined): string | undefined {
  if (project?.trim() === '') return 'The new project has no name.';
  if (testsets.some((name) => name.trim() === '')) return 'A testset has no name.';
  const twice = testsets.find((name, index) => testsets.indexOf(name) !== index);
  return twice === undefined ? undefined : `Two testsets are called “${visible(twice)}”.`;
}

const nouns = {
  testcase: 'testcase',
  metric: 'metric',
  system: 'system version',
  run: 'run',
  record: 'record',
  score: 'score',
  annotation: 'annotation',
} as const;

/** "1 testset, 120 testcases, 2 metrics, 1 run, 120 records, 240 scores". */
function inWords({ testsets, counts }: Overview): string {
  const parts = Object.entries(nouns).flatMap(([kind, noun]) => {
    const count = counts[kind as keyof typeof nouns];
    return count > 0 ? [countOf(count, noun)] : [];
  });
  if (testsets.length > 0) parts.unshift(countOf(testsets.length, 'testset'));
  return parts.join(', ');
}
