import { type ImportReport, recordCounts, testcaseCounts } from '@assay/import/sending/report';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import styles from './import.module.css';
import { Losses } from './losses.tsx';

/** The entities that an import stored, with links to them. */
export function ImportOutcome({ report, again }: { report: ImportReport; again: () => void }) {
  const { project, testsets, metrics, systems, runs, annotations, losses } = report;
  const projectId = project.id!;
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
        <WayOn projectId={projectId} runs={runs} />
        <Button onClick={again}>Import other files</Button>
      </div>
    </>
  );
}

/** Leads to the run, or first to the metric that a run has need of where the project has none. */
function WayOn({ projectId, runs: [run] }: { projectId: string; runs: ImportReport['runs'] }) {
  const metrics = useReading('/projects/:projectId/metrics', {
    params: { projectId },
    query: { limit: 1 },
  });
  if (!run)
    return (
      <ButtonLink kind="main" to="/projects/$projectId/testsets" params={{ projectId }}>
        Show the testsets
      </ButtonLink>
    );
  const needsMetric = metrics.data?.data.length === 0;
  return (
    <>
      {needsMetric && (
        <ButtonLink
          kind="main"
          to="/projects/$projectId/metrics/new"
          params={{ projectId }}
          search={{ run: run.id! }}
        >
          New metric
        </ButtonLink>
      )}
      <ButtonLink
        kind={needsMetric ? 'plain' : 'main'}
        to="/projects/$projectId/runs/$runId"
        params={{ projectId, runId: run.id! }}
      >
        Show the run
      </ButtonLink>
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
