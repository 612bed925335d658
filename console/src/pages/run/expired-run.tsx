import type { ReactNode } from 'react';
import { useRunResults } from '../../api/run-results.ts';
import { Page } from '../../parts/frame/page.tsx';
import { Rate } from '../../parts/rate.tsx';
import { countOf, formatDollars, formatInstant } from '../../text/format.ts';
import { labelTexts, runName } from '../../text/names.ts';
import styles from './run.module.css';
import { RunFacts } from './run-facts.tsx';
import type { RunReply } from './use-live-run.ts';

/** A run that has expired: its own line, and the results that were kept. */
export function ExpiredRun({
  projectId,
  run,
  above,
}: {
  projectId: string;
  run: RunReply;
  above: ReactNode;
}) {
  const results = useRunResults([run]).ofRun(run.id);
  return (
    <Page
      title={runName(run)}
      kind="Run"
      above={above}
      facts={<RunFacts projectId={projectId} run={run} />}
    >
      <section className={styles.state} aria-label="State of the run">
        <p>
          <strong>Expired on {formatInstant(run.expiredAt!)}: its records are gone.</strong>
        </p>
        <p>What follows are the results that were kept.</p>
        <p className={styles.facts}>
          <span>{countOf(run.numRecords, 'record')}</span>
          <span>{countOf(run.numScores, 'score')}</span>
          {run.costUsd > 0 && <span>{formatDollars(run.costUsd)}</span>}
          {labelTexts(run).map((label) => (
            <span key={label}>{label}</span>
          ))}
        </p>
      </section>
      <section aria-label="Results" className={styles.cards} hidden={results.length === 0}>
        {results.map((result) => (
          <article key={result.name} className={styles.card}>
            <h2>{result.name}</h2>
            <p>
              <Rate result={result} />
            </p>
            <p className={styles.interval}>{countOf(result.records, 'record')}</p>
          </article>
        ))}
      </section>
    </Page>
  );
}
