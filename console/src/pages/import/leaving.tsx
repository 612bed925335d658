import { useBlocker } from '@tanstack/react-router';
import { Button } from '../../parts/button.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';

/** Asks before one leaves the page while an import, or its like, is under way. */
export function Leaving({
  isBusy,
  title = 'Leave the import?',
  children = 'It ends here. What is stored stays; the same import again goes on with the rest.',
}: {
  isBusy: boolean;
  title?: string;
  /** Says how the rest can be stored. */
  children?: string;
}) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: () => isBusy,
    enableBeforeUnload: () => isBusy,
    withResolver: true,
  });
  if (status !== 'blocked') return null;
  return (
    <Dialog title={title} onClose={reset}>
      <p>{children}</p>
      <Actions>
        <Button onClick={reset}>Stay</Button>
        <Button kind="danger" onClick={proceed}>
          Leave
        </Button>
      </Actions>
    </Dialog>
  );
}
