import { Link } from '@tanstack/react-router';
import { Id } from '../../parts/copy.tsx';

/** Leads from a record up to its run, and names the testcase that it answers. */
export const RecordPlace = ({
  projectId,
  runId,
  recordId,
  testcaseId,
}: {
  projectId: string;
  runId: string;
  recordId: string;
  testcaseId: string | null | undefined;
}) => (
  <>
    <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
      Run
    </Link>{' '}
    · <Id id={recordId} />
    {testcaseId && (
      <>
        {' '}
        · testcase <Id id={testcaseId} />
      </>
    )}
  </>
);
