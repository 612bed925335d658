import type { ImportedProject } from '@assay/import/sending/project';
import { type ImportReport, recordCounts, testcaseCounts } from '@assay/import/sending/report';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { countOf, formatBytes, formatCount, visible } from '../../text/format.ts';
import styles from './import.module.css';
import { Losses } from './losses.tsx';

/** The entities that an import stored, with links to them. */
export function ImportOutcome({ report, again }: { report: ImportReport; again: () => void }) {
  const { project, testsets, metrics, systems, runs, annotations, losses } = report;
  const projectId = project.id!;
  const [first] = runs;
  return (
    <>
      <h2>Imported</h2>
      <p role="status">
        <strong>{isUnchanged(report) ? 'Everything is there already.' : inWords(report)}</strong>{' '}
        {project.isNew ? 'In the new project' : 'In'}{' '}
        <Link to="/projects/$projectId" params={{ projectId }}>
          {visible(project.name)}
        </Link>
        .
      </p>
      <ul className={styles.stored}>
        {testsets.map((testset) => (
          <Stored key={testset.id} kind="Testset">
            <Link
              to="/projects/$projectId/testsets/$testsetId"
              params={{ projectId, testsetId: testset.id! }}
            >
              {visible(testset.name)}
            </Link>
            : testcases: {testcaseCounts(testset)}
          </Stored>
        ))}
        {metrics.map(({ id, name, isNew }) => (
          <Stored key={id} kind="Metric" isNew={isNew}>
            <Link to="/projects/$projectId/metrics/$metricId" params={{ projectId, metricId: id! }}>
              {visible(name)}
            </Link>
          </Stored>
        ))}
        {systems.map(({ id, name, isNew }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: versions of one system have its id.
          <Stored key={`${id} ${index}`} kind="System" isNew={isNew}>
            <Link to="/projects/$projectId/systems/$systemId" params={{ projectId, systemId: id! }}>
              {visible(name)}
            </Link>
          </Stored>
        ))}
        {runs.map((run) => (
          <Stored key={run.id} kind="Run">
            <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id! }}>
              {visible(run.name)}
            </Link>
            : records: {recordCounts(run)}; scores: {formatCount(run.scores)}
          </Stored>
        ))}
        {annotations > 0 && <li>Annotations: {formatCount(annotations)}</li>}
      </ul>
      <Losses losses={losses} isOver />
      <Report report={report} />
      <div className={styles.foot}>
        {first ? (
          <ButtonLink
            kind="main"
            to="/projects/$projectId/runs/$runId"
            params={{ projectId, runId: first.id! }}
          >
            Show the run
          </ButtonLink>
        ) : (
          <ButtonLink kind="main" to="/projects/$projectId/testsets" params={{ projectId }}>
            Show the testsets
          </ButtonLink>
        )}
        <Button onClick={again}>Import other files</Button>
      </div>
    </>
  );
}

const Stored = ({
  kind,
  isNew = true,
  children,
}: {
  kind: string;
  /** Left out where counts say it. */
  isNew?: boolean;
  children: ReactNode;
}) => (
  <li>
    {kind} {children}
    {!isNew && <span className={styles.known}> there already</span>}
  </li>
);

const sumOf = (numbers: number[]): number => numbers.reduce((sum, number) => sum + number, 0);

const isUnchanged = ({ testsets, runs, annotations }: ImportReport): boolean =>
  annotations === 0 &&
  testsets.every(
    ({ created, updated, deleted, refused }) => !(created + updated + deleted + refused),
  ) &&
  runs.every(({ isNew, created, refused, scores }) => !isNew && !(created + refused + scores));

function inWords({ testsets, runs }: ImportReport): string {
  const cases = sumOf(testsets.map(({ created, updated }) => created + updated));
  const records = sumOf(runs.map(({ created }) => created));
  const scores = sumOf(runs.map((run) => run.scores));
  const parts = [
    ...(testsets.length > 0 ? [countOf(cases, 'testcase')] : []),
    ...(runs.length > 0 ? [countOf(records, 'record'), countOf(scores, 'score')] : []),
  ];
  return `${parts.join(', ') || 'The metrics are'} stored.`;
}

/** The whole report as a file, which `assay import` writes too. */
function Report({ report }: { report: ImportReport }) {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    const text = `${JSON.stringify(report, null, 2)}\n`;
    const made = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [report]);
  return (
    <p>
      {report.losses.length === 0 && 'Nothing was lost. '}
      <a href={url} download="import-report.json">
        Download the report
      </a>
    </p>
  );
}

/** An exported project that was imported. */
export function ProjectOutcome({
  project: { projectId, counts, members, attachments },
  again,
}: {
  project: ImportedProject;
  again: () => void;
}) {
  const { run = 0, record = 0, testcase = 0, monitor = 0 } = counts;
  const { none = 0, imported = 0 } = members;
  const { attached, different, missing, missingAttachments } = attachments;
  return (
    <>
      <h2>Imported</h2>
      <p role="status">
        <strong>
          {countOf(run, 'run')}, {countOf(record, 'record')}, {countOf(testcase, 'testcase')}
        </strong>{' '}
        in a new project.
      </p>
      {none > 0 && (
        <p>
          {countOf(none, 'member')} of the file {none === 1 ? 'is' : 'are'} not in your
          organization: their scores stay, under an id that is nobody's.
        </p>
      )}
      {imported > 0 && (
        <p>
          {countOf(imported, 'member')} of the file became{' '}
          {imported === 1 ? 'a person of their own' : 'people of their own'}: only a file that this
          server exported for your organization says who gave a score.
        </p>
      )}
      {monitor > 0 && (
        <p>
          {countOf(monitor, 'monitor')} came with it, paused: nothing is scored until you resume{' '}
          {monitor === 1 ? 'it' : 'them'}.
        </p>
      )}
      {attached > 0 && <p>{countOf(attached, 'attachment')} came with it.</p>}
      {different > 0 && (
        <p>
          {different === 1
            ? '1 attachment is another file here, which stays as it is.'
            : `${formatCount(different)} attachments are other files here, which stay as they are.`}
        </p>
      )}
      {missing > 0 && (
        <details className={styles.losses}>
          <summary>
            The bytes of {countOf(missing, 'attachment')} are neither in the file nor here: export
            with <code>--attachments</code> to carry them.
          </summary>
          <ul>
            {missingAttachments.map(({ sessionId, filePath, sizeBytes }) => (
              <li key={`${sessionId} ${filePath}`}>
                {visible(filePath)} of the session {visible(sessionId)}, {formatBytes(sizeBytes)}
              </li>
            ))}
            {missing > missingAttachments.length && (
              <li>And {formatCount(missing - missingAttachments.length)} others.</li>
            )}
          </ul>
        </details>
      )}
      <div className={styles.foot}>
        <ButtonLink kind="main" to="/projects/$projectId" params={{ projectId }}>
          Show the project
        </ButtonLink>
        <Button onClick={again}>Import other files</Button>
      </div>
    </>
  );
}
