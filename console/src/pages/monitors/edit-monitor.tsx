import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Backfill } from './backfill.tsx';
import { MonitorDays } from './monitor-days.tsx';
import { MonitorFields } from './monitor-fields.tsx';
import { settingsOf } from './monitor-settings.ts';
import type { MonitorItem } from './monitor-text.ts';
import styles from './monitors.module.css';

const refreshes = ['/projects/:projectId/monitors'] as const;

/** Shows a monitor's days, changes it, pauses or deletes it, and asks it about traces of before. */
export function EditMonitor({ monitor, onClose }: { monitor: MonitorItem; onClose: () => void }) {
  const { id, projectId, isPaused } = monitor;
  const options = { params: { monitorId: id } };
  const update = useChange('PATCH', '/monitors/:monitorId', { refreshes: [...refreshes] });
  const remove = useChange('DELETE', '/monitors/:monitorId', { refreshes: [...refreshes] });
  const error = update.error ?? remove.error;
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
      <MonitorDays monitor={monitor} />
      <MonitorFields projectId={projectId} monitor={monitor} error={error} />
      <p className={styles.hint}>
        Other metrics and another budget hold for the run of the next day.
      </p>
      <Backfill monitorId={id} />
      <div className={styles.tools}>
        <Button
          isBusy={update.isPending}
          onClick={() => update.mutate({ ...options, body: { isPaused: !isPaused } })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
        <Button
          kind="danger"
          isBusy={remove.isPending}
          onClick={() => remove.mutate(options, { onSuccess: onClose })}
        >
          Delete
        </Button>
      </div>
    </FormDialog>
  );
}
