import { useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { urlOf } from '../../api/request.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyLink } from '../../parts/copy.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Popover } from '../../parts/popover.tsx';
import { Problem } from '../../parts/problem.tsx';
import { labelTexts } from '../../text/names.ts';
import { AddMetrics } from './add-metrics.tsx';
import type { MetricSummary } from './run-summary.ts';
import type { RunReply } from './use-live-run.ts';

const SetUpReview = lazy(async () => ({
  default: (await import('../review/set-up.tsx')).SetUpReview,
}));

const PlanDialog = lazy(async () => ({ default: (await import('./plan-dialog.tsx')).PlanDialog }));

const refreshes = ['/runs/:runId', '/runs/:runId/failures'] as const;

/** The actions on a run; `metrics` are its results, as soon as they are read. */
export function RunActions({
  run,
  metrics: read,
}: {
  run: RunReply;
  metrics: MetricSummary[] | undefined;
}) {
  const metrics = read ?? [];
  const planned = metrics.filter(({ count }) => count > 1);
  const { projectId } = useParams({ from: '/frame/projects/$projectId/runs/$runId' });
  const options = { params: { runId: run.id } };
  const pause = useChange('POST', '/runs/:runId/pause', { refreshes: [...refreshes] });
  const resume = useChange('POST', '/runs/:runId/resume', { refreshes: [...refreshes] });
  const retry = useChange('POST', '/runs/:runId/retry', { refreshes: [...refreshes] });
  const rescore = useChange('POST', '/runs/:runId/rescore', { refreshes: [...refreshes] });
  const [isAdding, setAdding] = useState(false);
  const [isBudgetShown, showBudget] = useState(false);
  const [isNaming, setNaming] = useState(false);
  const [isPlanning, setPlanning] = useState(false);
  const error = pause.error ?? resume.error ?? retry.error ?? rescore.error;
  const isUnderWay = run.scoring.pending > 0;
  return (
    <>
      {error && <Problem error={error} />}
      {run.scoring.failed > 0 && (
        <Button isBusy={retry.isPending} onClick={() => retry.mutate(options)}>
          Retry what failed
        </Button>
      )}
      <CopyLink />
      <Review projectId={projectId} run={run} metrics={metrics} />
      {isUnderWay && !run.isPaused && (
        <Button isBusy={pause.isPending} onClick={() => pause.mutate(options)}>
          Pause
        </Button>
      )}
      {run.isPaused && (
        <Button isBusy={resume.isPending} onClick={() => resume.mutate(options)}>
          Resume
        </Button>
      )}
      {run.numRecords > 0 && <Button onClick={() => setAdding(true)}>Add metrics</Button>}
      {run.metricIds.length > 0 && (
        <Button
          isBusy={rescore.isPending}
          title="Score all records with the present versions of the metrics: judges are paid again, scores that people gave stay"
          onClick={() => rescore.mutate({ ...options, body: {} })}
        >
          Score anew
        </Button>
      )}
      <Baseline run={run} />
      {(planned.length > 0 || (!read && run.numScores > 1)) && (
        <Button
          disabled={!read}
          title="How many testcases a comparison with another version needs, and what they cost"
          onClick={() => setPlanning(true)}
        >
          Plan a comparison
        </Button>
      )}
      <Button onClick={() => setNaming(true)}>Name</Button>
      <Button onClick={() => showBudget(true)}>Budget</Button>
      <Popover label="Export">
        <ul>
          {(['csv', 'ndjson', 'parquet'] as const).map((format) => (
            <li key={format}>
              <DownloadButton
                url={urlOf('/runs/:runId/records/export', { ...options, query: { format } })}
              >
                {format === 'ndjson' ? 'JSON lines' : format === 'csv' ? 'CSV' : 'Parquet'}
              </DownloadButton>
            </li>
          ))}
        </ul>
      </Popover>
      {isAdding && <AddMetrics projectId={projectId} run={run} onClose={() => setAdding(false)} />}
      {isPlanning && (
        <Suspense>
          <PlanDialog runId={run.id} metrics={planned} onClose={() => setPlanning(false)} />
        </Suspense>
      )}
      {isNaming && <NameDialog run={run} onClose={() => setNaming(false)} />}
      {isBudgetShown && <BudgetDialog run={run} onClose={() => showBudget(false)} />}
    </>
  );
}

/** Leads to the review of the run, or to its set-up where nothing waits for people. */
function Review({
  projectId,
  run,
  metrics,
}: {
  projectId: string;
  run: RunReply;
  metrics: MetricSummary[];
}) {
  const [isSettingUp, setUp] = useState(false);
  const isReviewed = metrics.some(({ evalType }) => evalType === 'human');
  const isAwaited = isReviewed && run.scoring.pending > 0;
  // The dialog stays when the metric of its review has joined the run.
  return (
    <>
      {isAwaited ? (
        <ButtonLink
          to="/projects/$projectId/review"
          params={{ projectId }}
          search={{ run: run.id }}
        >
          Review
        </ButtonLink>
      ) : (
        run.numRecords > 0 && <Button onClick={() => setUp(true)}>Review</Button>
      )}
      {isSettingUp && (
        <Suspense>
          <SetUpReview projectId={projectId} runId={run.id} onClose={() => setUp(false)} />
        </Suspense>
      )}
    </>
  );
}

/** The run with which the others of its testset are compared. */
function Baseline({ run: { id: runId, testsetId } }: { run: RunReply }) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/runs/$runId' });
  const testset = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: testsetId !== null,
  });
  const set = useChange('PUT', '/testsets/:testsetId/baseline', {
    refreshes: ['/testsets/:testsetId', '/projects/:projectId/testsets'],
  });
  if (!testsetId || !testset.data) return null;
  const { baselineRunId } = testset.data;
  return (
    <>
      {set.error && <Problem error={set.error} />}
      {baselineRunId && baselineRunId !== runId && (
        <ButtonLink
          to="/projects/$projectId/compare"
          params={{ projectId }}
          search={{ baseline: baselineRunId, candidate: [runId] }}
        >
          Compare with the baseline
        </ButtonLink>
      )}
      <Button
        isBusy={set.isPending}
        aria-pressed={baselineRunId === runId}
        title={`Comparisons of ${testset.data.name} take this run as their baseline`}
        onClick={() =>
          set.mutate({
            params: { testsetId },
            body: { runId: baselineRunId === runId ? null : runId },
          })
        }
      >
        {baselineRunId === runId ? '✓ Baseline' : 'Make it the baseline'}
      </Button>
    </>
  );
}

function NameDialog({ run, onClose }: { run: RunReply; onClose: () => void }) {
  const change = useChange('PATCH', '/runs/:runId', {
    refreshes: ['/runs/:runId', '/projects/:projectId/runs'],
  });
  const written = labelTexts(run).join('\n');
  return (
    <FormDialog
      title="Name and labels"
      button="Save"
      change={change}
      onClose={onClose}
      submit={(form) => {
        change.mutate(
          {
            params: { runId: run.id },
            body: {
              name: `${form.get('name')}`.trim() || null,
              labels: labelsIn(`${form.get('labels')}`),
            },
          },
          { onSuccess: onClose },
        );
      }}
    >
      <Field
        label="Name"
        name="name"
        defaultValue={run.name ?? ''}
        problem={problemAt(change.error, '/name')}
      />
      <Field
        label="Labels"
        name="labels"
        rows={4}
        defaultValue={written}
        hint="One a line, such as commit:4f7c2aa."
      />
    </FormDialog>
  );
}

/** `key:value` a line; a line without a colon is a key whose value the API will miss. */
function labelsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [key = '', ...value] = line.split(':');
      return [key.trim(), value.join(':').trim()];
    }),
  );
}

function BudgetDialog({ run, onClose }: { run: RunReply; onClose: () => void }) {
  const change = useChange('PATCH', '/runs/:runId', { refreshes: [...refreshes] });
  return (
    <FormDialog
      title="Budget of the run"
      button="Save"
      change={change}
      onClose={onClose}
      submit={(form) => {
        const typed = `${form.get('budgetUsd')}`.trim();
        change.mutate(
          {
            params: { runId: run.id },
            body: { budgetUsd: typed === '' ? null : Number(typed) },
          },
          { onSuccess: onClose },
        );
      }}
    >
      <Field
        label="US dollars"
        name="budgetUsd"
        type="number"
        min={0}
        step="any"
        defaultValue={run.budgetUsd ?? ''}
        hint="When the judges have cost this much, they are not asked any more. Empty: no limit."
        problem={problemAt(change.error, '/budgetUsd')}
      />
    </FormDialog>
  );
}
