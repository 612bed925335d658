import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { RunPart } from './run-part.tsx';

/** Leads from a comparison to its runs, and says which part of the testset each is over. */
export const RunLinks = ({
  projectId,
  runIds,
  names,
}: {
  projectId: string;
  runIds: string[];
  names: (runId: string) => string;
}) => (
  <>
    <Link to="/projects/$projectId/runs" params={{ projectId }}>
      Runs
    </Link>
    {runIds.map((runId) => (
      <Fragment key={runId}>
        {' · '}
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
          {names(runId)}
        </Link>
        <RunPart runId={runId} />
      </Fragment>
    ))}
  </>
);
