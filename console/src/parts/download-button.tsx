import { type ReactNode, useState } from 'react';
import { downloadFrom } from '../api/download.ts';
import { Button } from './button.tsx';
import { Problem } from './problem.tsx';

/** Downloads the object at an address of the API. */
export function DownloadButton({
  url,
  className,
  children,
}: {
  url: string;
  className?: string;
  children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  return (
    <>
      <Button
        kind="quiet"
        className={className}
        isBusy={isBusy}
        onClick={() => {
          setBusy(true);
          setError(undefined);
          downloadFrom(url)
            .catch(setError)
            .finally(() => setBusy(false));
        }}
      >
        {children}
      </Button>
      {error && <Problem error={error} />}
    </>
  );
}
