import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { refresh } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { ContentsChoice } from '../monitors/contents-choice.tsx';
import { MetricsOfForm } from '../monitors/metrics-of-form.tsx';

const noMetric = new Error('Choose a metric at least: it scores the trace.');

/** Makes a record of a trace in a run of its own, and leads there. */
export function ScoreTrace({
  projectId,
  traceId,
  name,
  onClose,
}: {
  projectId: string;
  traceId: string;
  name: string;
  onClose: () => void;
}) {
  const navigate = useNavigate();
  const [problem, setProblem] = useState<Error | null>(null);
  const score = useMutation({
    mutationFn: async ({ metricIds, select }: { metricIds: string[]; select: string }) => {
      const run = await request('POST', '/projects/:projectId/runs', {
        params: { projectId },
        body: { metricIds, name: `Trace ${name}`.slice(0, 256) },
      });
      const { items } = await request('POST', '/runs/:runId/records/from-traces', {
        params: { runId: run.id },
        body: { traceIds: [traceId], select },
      });
      return items[0]!.recordId;
    },
    onSuccess: async (recordId) => {
      await refresh([
        '/projects/:projectId/runs',
        '/projects/:projectId/traces',
        '/traces/:traceId',
      ]);
      await navigate({
        to: '/projects/$projectId/records/$recordId',
        params: { projectId, recordId },
      });
    },
  });
  return (
    <FormDialog
      title="Score the trace"
      button="Score"
      change={{ isPending: score.isPending, error: problem ?? score.error }}
      onClose={onClose}
      submit={(form) => {
        const metricIds = form.getAll('metric').map(String);
        setProblem(metricIds.length === 0 ? noMetric : null);
        if (metricIds.length > 0) score.mutate({ metricIds, select: `${form.get('select')}` });
      }}
    >
      <MetricsOfForm projectId={projectId} />
      <ContentsChoice label="The record has" />
    </FormDialog>
  );
}
