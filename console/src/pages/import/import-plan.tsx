import { useState } from 'react';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { MetricChoices, useMetricChoices } from '../../parts/metric-choices.tsx';
import { visible } from '../../text/format.ts';
import { Broken } from './broken.tsx';
import { type Roles, roleOf, rolesOf } from './column-roles.tsx';
import { inWords } from './counts.ts';
import styles from './import.module.css';
import { ImportTarget, newProject } from './import-target.tsx';
import { Losses } from './losses.tsx';
import type { FoundImport, Reading, Target } from './messages.ts';
import { TablePlan } from './table-plan.tsx';
import { TestsetNames } from './testset-names.tsx';
import { FormatChoice } from './unknown.tsx';
import type { Importing } from './use-import.ts';
import { WordsThatPass } from './words-that-pass.tsx';

const nothing = 'There is nothing in it that could be imported.';
/** The end of the reason for which scores of words are lost. */
const asksForWords = 'say which of them pass.';

type Source = Extract<FoundImport, { kind: 'source' }>;

/** The contents of the files, and where they go. */
export function ImportPlan({
  importing,
  found,
  projectId,
}: {
  importing: Importing;
  found: Source;
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
  const [metricIds, setMetricIds] = useState<string[]>();
  const [words, setWords] = useState(importing.reading.words ?? '');
  const answers = isTable
    ? columns.filter((column) => roleOf(column, roles) === 'output').map(({ name }) => name)
    : [];
  const choices = useMetricChoices(
    answers.length > 0 && target !== newProject ? target : undefined,
  );
  const chosenMetrics = metricIds ?? choices?.map(({ id }) => id);
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
    ...(isTable ? { roles: rolesOf(columns, roles), ...(key === '' ? {} : { key }) } : {}),
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
        if (fault !== undefined || chosenMetrics === undefined) return;
        const plan = { reading, names, target: where(), metricIds: chosenMetrics };
        void importing.import(isTable ? withAnswers(found, answers.length) : found, plan);
      }}
    >
      <p role="status">
        <strong>{isEmpty ? '' : inWords(overview, answers)}</strong>
      </p>
      <Losses losses={losses} />
      <WordsThatPass
        isAsked={words !== '' || losses.some(({ reason }) => reason.endsWith(asksForWords))}
        words={words}
        setWords={setWords}
        readAgain={() => void look(picked!, reading)}
      />
      <div className={styles.target}>
        <ImportTarget
          projectId={projectId}
          projects={projects.loaded}
          target={target}
          setTarget={(chosen) => {
            setTarget(chosen);
            setMetricIds(undefined);
          }}
          projectName={projectName}
          setProjectName={setProjectName}
        />
        <FormatChoice
          formats={formats}
          format={format.name}
          choose={(name) => void look(picked!, { format: name })}
        />
      </div>
      <TestsetNames testsets={testsets} names={names} setNames={setNames} />
      {isTable && columns.length > 0 && (
        <TablePlan
          overview={overview}
          roles={roles}
          setRoles={setRoles}
          columnOfKey={key}
          setColumnOfKey={setKey}
          answers={answers}
        >
          <MetricChoices metrics={choices} chosen={chosenMetrics} setChosen={setMetricIds} />
        </TablePlan>
      )}
      <Broken state={state} />
      <div className={styles.foot}>
        <Button kind="main" type="submit" disabled={fault !== undefined || !chosenMetrics}>
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

/** A table whose columns of answers were chosen: as many records for each testcase. */
function withAnswers(found: Source, answers: number): Source {
  const { overview } = found;
  const counts = { ...overview.counts, record: overview.counts.testcase * answers };
  return { ...found, overview: { ...overview, counts } };
}
