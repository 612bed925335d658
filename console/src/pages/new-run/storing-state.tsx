import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import styles from './new-run.module.css';
import type { StoredRun } from './store-answers.ts';
import type { Storing } from './use-storing.ts';

/**
 * How many of the answers are stored, and after a failure the way to store the rest. A run that is
 * stored as a whole is shown.
 */
export function StoringState({ projectId, storing }: { projectId: string; storing: Storing }) {
  const { phase, runs, error } = storing.state;
  useWayToRun(projectId, storing);
  const all = sumOf(runs, ({ answers }) => answers.length);
  const stored = sumOf(runs, ({ answered, refused }) => answered - refused);
  return (
    <>
      <div className={styles.foot}>
        <progress className={styles.progress} max={all} value={stored} aria-label="Stored" />
        {phase === 'storing' && <Button onClick={storing.stop}>Stop</Button>}
      </div>
      <p role="status">
        {formatCount(stored)} of {countOf(all, 'record')} stored
        {phase === 'broken' &&
          '. What is stored stays. Continue, and the rest is stored: no record comes twice'}
        .
      </p>
      {error && <Problem error={error} />}
      <ul className={styles.stored}>
        {runs.map((run) => (
          <StoredItem key={run.column} projectId={projectId} run={run} />
        ))}
      </ul>
      {phase === 'broken' && (
        <div className={styles.foot}>
          <Button kind="main" onClick={storing.again}>
            Continue
          </Button>
        </div>
      )}
      {phase === 'stored' && <Ways projectId={projectId} runs={runs} />}
    </>
  );
}

function useWayToRun(projectId: string, { state: { phase, runs } }: Storing): void {
  const navigate = useNavigate();
  const [only, ...others] = runs;
  const isWhole = phase === 'stored' && others.length === 0 && only?.refused === 0;
  const runId = isWhole ? only.id : undefined;
  useEffect(() => {
    if (runId !== undefined)
      void navigate({
        to: '/projects/$projectId/runs/$runId',
        params: { projectId, runId },
        replace: true,
      });
  }, [navigate, projectId, runId]);
}

const sumOf = (runs: StoredRun[], countOfRun: (run: StoredRun) => number): number =>
  runs.reduce((sum, run) => sum + countOfRun(run), 0);

const StoredItem = ({ projectId, run }: { projectId: string; run: StoredRun }) => (
  <li>
    {run.id === undefined ? (
      visible(run.name)
    ) : (
      <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
        {visible(run.name)}
      </Link>
    )}
    : {formatCount(run.answered - run.refused)} of {countOf(run.answers.length, 'record')}
    {run.refused > 0 && (
      <span className={styles.problem}>
        {' '}
        · {formatCount(run.refused)} refused: {visible(run.refusal ?? '')}
      </span>
    )}
  </li>
);

/** Leads on, once all is stored. */
function Ways({ projectId, runs: [first, ...others] }: { projectId: string; runs: StoredRun[] }) {
  const candidate = others.map(({ id }) => id!);
  return (
    <div className={styles.foot}>
      {candidate.length > 0 ? (
        <ButtonLink
          kind="main"
          to="/projects/$projectId/compare"
          params={{ projectId }}
          search={{ baseline: first!.id!, candidate: candidate.slice(0, comparedMax) }}
        >
          Compare them
        </ButtonLink>
      ) : (
        <ButtonLink
          kind="main"
          to="/projects/$projectId/runs/$runId"
          params={{ projectId, runId: first!.id! }}
        >
          Show the run
        </ButtonLink>
      )}
      <ButtonLink to="/projects/$projectId/runs" params={{ projectId }}>
        All runs
      </ButtonLink>
    </div>
  );
}

/** As many candidates as one comparison shows. */
const comparedMax = 8;
