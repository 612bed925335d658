import { useParams } from '@tanstack/react-router';
import { Calculator, Flag, ListPlus, Pencil, RefreshCw, RotateCw, Wallet } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { useChange } from '../../api/query.ts';
import { urlOf } from '../../api/request.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { CopyLink } from '../../parts/copy.tsx';
import { DownloadButton } from '../../parts/download-button.tsx';
import { type MenuItem, MoreMenu } from '../../parts/menu.tsx';
import { Problem } from '../../parts/problem.tsx';
import { AddMetrics } from './add-metrics.tsx';
import { BudgetDialog } from './budget-dialog.tsx';
import { changedByScoring } from './changed-by-scoring.ts';
import { CompareMenu } from './compare-menu.tsx';
import { NameDialog } from './name-dialog.tsx';
import { RescoreDialog } from './rescore-dialog.tsx';
import styles from './run.module.css';
import type { MetricSummary } from './run-summary.ts';
import { useBaseline } from './use-baseline.ts';
import type { RunReply } from './use-live-run.ts';
import { useRetry } from './use-retry.ts';

const SetUpReview = lazy(async () => ({
  default: (await import('../review/set-up.tsx')).SetUpReview,
}));

const PlanDialog = lazy(async () => ({ default: (await import('./plan-dialog.tsx')).PlanDialog }));

interface RunActionsProps {
  run: RunReply;
  /** Its results, as soon as they are read. */
  metrics: MetricSummary[] | undefined;
}

/** The actions on a run: the comparison comes first, seldom ones are in a menu. */
export function RunActions({ run, metrics }: RunActionsProps) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/runs/$runId' });
  const options = { params: { runId: run.id } };
  const pause = useChange('POST', '/runs/:runId/pause', { refreshes: changedByScoring });
  const resume = useChange('POST', '/runs/:runId/resume', { refreshes: changedByScoring });
  const baseline = useBaseline(run);
  const error = pause.error ?? resume.error ?? baseline.error;
  return (
    <>
      {error && <Problem error={error} />}
      <CopyLink />
      {run.scoring.pending > 0 && !run.isPaused && (
        <Button isBusy={pause.isPending} onClick={() => pause.mutate(options)}>
          Pause
        </Button>
      )}
      {run.isPaused && (
        <Button isBusy={resume.isPending} onClick={() => resume.mutate(options)}>
          Resume
        </Button>
      )}
      <Review projectId={projectId} run={run} metrics={metrics ?? []} />
      <CompareMenu
        projectId={projectId}
        run={run}
        baselineRunId={baseline.testset?.baselineRunId}
      />
      <SeldomActions projectId={projectId} run={run} metrics={metrics} baseline={baseline} />
    </>
  );
}

type SeldomDialog = (onClose: () => void) => ReactNode;

function SeldomActions({
  projectId,
  run,
  metrics: read,
  baseline,
}: RunActionsProps & { projectId: string; baseline: ReturnType<typeof useBaseline> }) {
  const retry = useRetry(run.id);
  const [dialog, setDialog] = useState<{ draw: SeldomDialog }>();
  const metrics = read ?? [];
  const planned = metrics.filter(({ count }) => count > 1);
  const show = (draw: SeldomDialog) => () => setDialog({ draw });
  const items: (MenuItem | false)[] = [
    run.numRecords > 0 && {
      text: 'Add metrics …',
      Icon: ListPlus,
      run: show((onClose) => <AddMetrics projectId={projectId} run={run} onClose={onClose} />),
    },
    run.metricIds.length > 0 &&
      run.numRecords > 0 && {
        text: 'Rescore …',
        Icon: RefreshCw,
        title: 'Score the records with the present versions of the metrics',
        problem: read ? undefined : 'The results are not read yet',
        run: show((onClose) => <RescoreDialog run={run} metrics={metrics} onClose={onClose} />),
      },
    run.scoring.failed > 0 && {
      text: retry.text,
      Icon: RotateCw,
      run: retry.retry,
    },
    baseline.testset !== undefined && {
      text: baseline.isThis ? 'No baseline any more' : 'Make it the baseline',
      Icon: Flag,
      title: `Comparisons of ${baseline.testset.name} take this run as their baseline`,
      run: baseline.toggle,
    },
    (planned.length > 0 || (!read && run.numScores > 1)) && {
      text: 'Plan a comparison …',
      Icon: Calculator,
      title: 'How many testcases a comparison with another version needs, and what they cost',
      problem: read ? undefined : 'The results are not read yet',
      run: show((onClose) => (
        <Suspense>
          <PlanDialog runId={run.id} metrics={planned} onClose={onClose} />
        </Suspense>
      )),
    },
    {
      text: 'Name and labels …',
      Icon: Pencil,
      run: show((onClose) => <NameDialog run={run} onClose={onClose} />),
    },
    {
      text: 'Budget …',
      Icon: Wallet,
      run: show((onClose) => <BudgetDialog run={run} onClose={onClose} />),
    },
  ];
  return (
    <>
      {retry.error && <Problem error={retry.error} />}
      <MoreMenu items={items.filter((item) => item !== false)}>
        <Exports runId={run.id} />
      </MoreMenu>
      {dialog?.draw(() => setDialog(undefined))}
    </>
  );
}

const Exports = ({ runId }: { runId: string }) => (
  <section aria-label="Export" className={styles.exports}>
    <p>Export</p>
    {(['csv', 'ndjson', 'parquet'] as const).map((format) => (
      <DownloadButton
        key={format}
        url={urlOf('/runs/:runId/records/export', { params: { runId }, query: { format } })}
      >
        {format === 'ndjson' ? 'JSON lines' : format === 'csv' ? 'CSV' : 'Parquet'}
      </DownloadButton>
    ))}
  </section>
);

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
