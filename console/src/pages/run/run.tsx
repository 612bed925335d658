import { getRouteApi, Link } from '@tanstack/react-router';
import { useNames } from '../../api/names.ts';
import { useReading } from '../../api/query.ts';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Together } from '../../parts/together.tsx';
import { WaitingFor } from '../../parts/waiting-for.tsx';
import { runName } from '../../text/names.ts';
import { Breakdown } from './breakdown.tsx';
import { ExpiredRun } from './expired-run.tsx';
import { Failures } from './failures.tsx';
import { AwaitedCards, MetricCards } from './metric-cards.tsx';
import { Records } from './records.tsx';
import styles from './run.module.css';
import { RunActions } from './run-actions.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunState } from './run-state.tsx';
import { Summary } from './summary.tsx';
import { useLiveRun } from './use-live-run.ts';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

/** One run: its progress, its results, and its records. */
export function Run() {
  const { projectId, runId } = route.useParams();
  const { tab = 'records' } = route.useSearch();
  const reading = useReading('/runs/:runId', { params: { runId } });
  const summary = useReading('/runs/:runId/summary', {
    params: { runId },
    query: { calibrateWith: 'people' },
    // A run that has expired has no summary to be read.
    isEnabled: reading.data !== undefined && reading.data.expiredAt === undefined,
  });
  const live = useLiveRun(reading.data);
  const above = (
    <Link to="/projects/$projectId/runs" params={{ projectId }}>
      Runs
    </Link>
  );
  // Names are read beside the run: the line of facts has its height from the start.
  const { testsetId, systemId, systemVersionId } = reading.data ?? {};
  const names = useNames(projectId, [testsetId, systemId, systemVersionId]);
  if (!reading.data || !names.areRead)
    return (
      <Page title="Run" above={above}>
        {reading.error && <Problem error={reading.error} retry={() => void reading.refetch()} />}
      </Page>
    );
  const run = reading.data;
  if (run.expiredAt !== undefined)
    return <ExpiredRun projectId={projectId} run={run} above={above} />;
  const metrics = summary.data?.metrics;
  return (
    <Page
      title={runName(run)}
      kind="Run"
      above={above}
      facts={<RunFacts projectId={projectId} run={run} />}
      actions={<RunActions run={run} metrics={metrics} />}
    >
      <RunState run={run} live={live} />
      <WaitingFor models={run.waitingFor} />
      {summary.error && <Problem error={summary.error} retry={() => void summary.refetch()} />}
      {summary.data ? (
        <MetricCards summary={summary.data} />
      ) : (
        !summary.error && <AwaitedCards count={run.metricVersionIds.length} />
      )}
      <Tabs
        label="Parts of the run"
        tabs={[
          { text: 'Records', search: { tab: undefined }, isCurrent: tab === 'records' },
          { text: 'Summary', search: { tab: 'summary' }, isCurrent: tab === 'summary' },
          {
            text: `Not scored${run.scoring.failed > 0 ? ` (${run.scoring.failed})` : ''}`,
            search: { tab: 'failures' },
            isCurrent: tab === 'failures',
          },
        ]}
      />
      <div className={styles.tab}>
        {tab === 'records' && (
          <Records
            run={run}
            metrics={metrics ?? []}
            areMetricsRead={!summary.isPending}
            live={live}
          />
        )}
        {tab === 'summary' && (
          <Together>
            <Breakdown runId={runId} testsetId={run.testsetId} />
            <Summary metrics={metrics ?? []} errors={summary.data?.errors} />
          </Together>
        )}
        {tab === 'failures' && <Failures run={run} metrics={metrics ?? []} />}
      </div>
    </Page>
  );
}
