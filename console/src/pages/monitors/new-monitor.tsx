import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { MonitorFields } from './monitor-fields.tsx';
import { settingsOf } from './monitor-settings.ts';

const noMetric = new Error('Choose a metric at least: it scores the records.');

export function NewMonitor({ projectId, onClose }: { projectId: string; onClose: () => void }) {
  const save = useChange('PUT', '/projects/:projectId/monitors', {
    refreshes: ['/projects/:projectId/monitors'],
  });
  const [problem, setProblem] = useState<Error | null>(null);
  const error = problem ?? save.error;
  return (
    <FormDialog
      title="New monitor"
      button="Create"
      change={{ isPending: save.isPending, error }}
      onClose={onClose}
      submit={(form) => {
        const { metricIds: metrics, ...settings } = settingsOf(form);
        setProblem(metrics.length === 0 ? noMetric : null);
        if (metrics.length === 0) return;
        save.mutate(
          { params: { projectId }, body: { ...settings, metrics } },
          { onSuccess: onClose },
        );
      }}
    >
      <MonitorFields projectId={projectId} error={error} />
    </FormDialog>
  );
}
