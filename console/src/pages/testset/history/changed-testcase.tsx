import { Button } from '../../../parts/button.tsx';
import { Id } from '../../../parts/copy.tsx';
import { Actions, Dialog } from '../../../parts/dialog.tsx';
import { JsonDifference } from '../../../parts/difference/difference.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { changeWords, type TestsetChange } from './change-words.ts';
import { useRestore } from './use-restore.ts';

/** How one testcase differs between two days, and the way back. */
export function ChangedTestcase({
  change: { testcaseId, change, version, before, after },
  onClose,
}: {
  change: TestsetChange;
  onClose: () => void;
}) {
  const { restore, isPending, error } = useRestore();
  const isForgotten = change === 'changed' && before === null;
  return (
    <Dialog title={`${changeWords[change].word} testcase`} onClose={onClose}>
      <p>
        <Id id={testcaseId} />
      </p>
      {isForgotten ? (
        <p>The data before is no longer kept.</p>
      ) : (
        <JsonDifference before={before ?? {}} after={after ?? {}} />
      )}
      {error && <Problem error={error} />}
      <Actions>
        <Button onClick={onClose}>Close</Button>
        {version !== null && (
          <Button
            kind="main"
            isBusy={isPending}
            onClick={() => restore(testcaseId, version, onClose)}
          >
            {change === 'deleted' ? 'Restore the testcase' : 'Restore the data before'}
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}
