import { Link } from '@tanstack/react-router';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';

/** A testcase that was made of a trace: the way to it, and back. */
export function AddedTestcase({
  projectId,
  traceId,
  testset,
  testcaseId,
  isNew,
  onClose,
}: {
  projectId: string;
  traceId: string;
  testset: { id: string; name: string };
  testcaseId: string;
  /** False where it was there before. */
  isNew: boolean;
  onClose: () => void;
}) {
  const undo = useChange('POST', '/testcases/bulk-delete', {
    refreshes: ['/testsets/:testsetId/testcases', '/traces/:traceId'],
  });
  const link = (
    // The key of a testcase that was made of a trace is the trace's id.
    <Link
      to="/projects/$projectId/testsets/$testsetId"
      params={{ projectId, testsetId: testset.id }}
      search={{ q: traceId }}
    >
      {visible(testset.name)}
    </Link>
  );
  return (
    <Dialog title="Added to a testset" onClose={onClose}>
      <p role="status">
        {undo.isSuccess ? (
          <>The testcase is deleted from {link} again.</>
        ) : isNew ? (
          <>✓ The testcase is in {link}.</>
        ) : (
          <>{link} has a testcase of this trace already, which stays as it is.</>
        )}
      </p>
      {undo.error && <Problem error={undo.error} />}
      <Actions>
        {isNew && !undo.isSuccess && (
          <Button
            isBusy={undo.isPending}
            onClick={() => undo.mutate({ body: { ids: [testcaseId] } })}
          >
            Undo
          </Button>
        )}
        <Button kind="main" onClick={onClose}>
          Close
        </Button>
      </Actions>
    </Dialog>
  );
}
