import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatDollars } from '../../text/format.ts';
import styles from './monitors.module.css';

const dayMs = 24 * 60 * 60 * 1000;
/** Days of before that a monitor can be asked about by a button. */
const backfillDays = 7;

/** Asks a monitor about traces of before, once it has been told how many they are, and the cost. */
export function Backfill({ monitorId }: { monitorId: string }) {
  const options = { params: { monitorId } };
  const [time, setTime] = useState<{ from: string; to: string }>();
  const count = useChange('POST', '/monitors/:monitorId/backfill');
  const backfill = useChange('POST', '/monitors/:monitorId/backfill', {
    refreshes: ['/projects/:projectId/monitors'],
  });
  const error = count.error ?? backfill.error;
  return (
    <div className={styles.tools}>
      <Button
        isBusy={count.isPending}
        onClick={() => {
          const days = lastDays();
          setTime(days);
          backfill.reset();
          count.mutate({ ...options, body: { ...days, dryRun: true } });
        }}
      >
        Count the last {backfillDays} days
      </Button>
      <p role="status">
        {backfill.data
          ? `It will be asked about ${countOf(backfill.data.traces, 'trace')}.`
          : count.data && countText(count.data)}
      </p>
      {count.data && count.data.records > 0 && !backfill.data && (
        <Button
          isBusy={backfill.isPending}
          onClick={() => backfill.mutate({ ...options, body: time! })}
        >
          Ask about them
        </Button>
      )}
      {error && <Problem error={error} />}
    </div>
  );
}

function countText({
  traces,
  records,
  estimatedUsd,
}: {
  traces: number;
  records: number;
  estimatedUsd: number | null;
}): string {
  const cost =
    estimatedUsd === null ? 'a cost that is not known' : `about ${formatDollars(estimatedUsd)}`;
  return `${countOf(traces, 'trace')}: ${countOf(records, 'new record')} at most${records > 0 ? `, ${cost}` : ''}.`;
}

function lastDays(): { from: string; to: string } {
  const now = Date.now();
  return {
    from: new Date(now - backfillDays * dayMs).toISOString(),
    to: new Date(now).toISOString(),
  };
}
