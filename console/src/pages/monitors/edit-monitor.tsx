import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { countOf } from '../../text/format.ts';
import { MonitorFields, settingsOf } from './monitor-fields.tsx';
import type { MonitorItem } from './monitor-text.ts';
import styles from './monitors.module.css';

const refreshes = ['/projects/:projectId/monitors'] as const;
const dayMs = 24 * 60 * 60 * 1000;
/** Days of before that a monitor can be asked about by a button. */
const backfillDays = 7;

/** Changes a monitor, pauses or deletes it, and asks it about traces of before. */
export function EditMonitor({ monitor, onClose }: { monitor: MonitorItem; onClose: () => void }) {
  const { id, projectId, isPaused } = monitor;
  const options = { params: { monitorId: id } };
  const update = useChange('PATCH', '/monitors/:monitorId', { refreshes: [...refreshes] });
  const remove = useChange('DELETE', '/monitors/:monitorId', { refreshes: [...refreshes] });
  const backfill = useChange('POST', '/monitors/:monitorId/backfill', {
    refreshes: [...refreshes],
  });
  const error = update.error ?? remove.error ?? backfill.error;
  return (
    <FormDialog
      title="Monitor"
      button="Save"
      change={{ isPending: update.isPending, error }}
      onClose={onClose}
      submit={(form) =>
        update.mutate(
          { ...options, body: settingsOf(form, monitor.filter) },
          { onSuccess: onClose },
        )
      }
    >
      <MonitorFields projectId={projectId} monitor={monitor} error={error} />
      <p className={styles.hint}>
        Other metrics and another budget hold for the run of the next day.
      </p>
      <div className={styles.tools}>
        <Button
          isBusy={update.isPending}
          onClick={() => update.mutate({ ...options, body: { isPaused: !isPaused } })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button
          isBusy={backfill.isPending}
          onClick={() => backfill.mutate({ ...options, body: lastDays() })}
        >
          Ask about the last {backfillDays} days
        </Button>
        <Button
          kind="danger"
          isBusy={remove.isPending}
          onClick={() => remove.mutate(options, { onSuccess: onClose })}
        >
          Delete
        </Button>
      </div>
      <p role="status">
        {backfill.data && `It will be asked about ${countOf(backfill.data.traces, 'trace')}.`}
      </p>
    </FormDialog>
  );
}

function lastDays(): { from: string; to: string } {
  const now = Date.now();
  return {
    from: new Date(now - backfillDays * dayMs).toISOString(),
    to: new Date(now).toISOString(),
  };
}
