import type { ItemOf } from '@assay/client/operations';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useNames } from '../../api/names.ts';
import { useReading } from '../../api/query.ts';
import { useRunResults } from '../../api/run-results.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { runStatuses } from '../../parts/status.tsx';
import { Together } from '../../parts/together.tsx';
import { TrendSection } from '../../parts/trend/trend-section.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import { Assigned } from './assigned.tsx';
import { FirstSteps } from './first-steps.tsx';
import { LatestRun } from './latest-run.tsx';
import { Mentions } from './mentions.tsx';
import { MonitoredDays } from './monitored-days.tsx';
import styles from './overview.module.css';
import { ProjectMenu } from './project-menu.tsx';
import { Spend } from './spend.tsx';
import { useLatestRuns } from './use-latest-runs.ts';

const route = getRouteApi('/frame/projects/$projectId');

/** As many of the newest runs as are looked at. */
const runsMax = 100;

type Run = ItemOf<'/projects/:projectId/runs'>;

/** Where a project stands: the latest run of each testset, the production versions, the work that waits. */
export function Overview() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useReading('/projects/:projectId', { params: { projectId } });
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { limit: runsMax },
  });
  const all = runs.data?.data ?? [];
  const hasOthers = runs.data?.hasMore === true;
  const names = useNames(
    projectId,
    all.map(({ testsetId }) => testsetId),
  );
  const { latest, areRead } = useLatestRuns(projectId, {
    newest: all,
    areAll: !hasOthers,
  });
  const results = useRunResults(latest);
  const isKnown = areRead && results.areRead && names.areRead;
  const error = project.error ?? runs.error;
  return (
    <Page
      title={project.data?.name ?? '…'}
      kind="Overview"
      actions={
        <>
          <ButtonLink to="/projects/$projectId/import" params={{ projectId }}>
            Import
          </ButtonLink>
          {project.data && (
            <ProjectMenu
              project={project.data}
              names={names}
              runs={hasOthers ? `more than ${runsMax} runs` : countOf(all.length, 'run')}
            />
          )}
        </>
      }
    >
      {project.data?.description && <p>{project.data.description}</p>}
      {error && <Problem error={error} retry={() => void runs.refetch()} />}
      <Together>
        {runs.data && <FirstSteps projectId={projectId} runs={all} />}
        {all.length > 0 && (
          <section aria-label="What waits">
            <Waiting projectId={projectId} runs={all} hasOthers={hasOthers} />
          </section>
        )}
        <Assigned projectId={projectId} />
        <Mentions projectId={projectId} />
        {all.length > 0 && (
          <>
            <TrendSection
              projectId={projectId}
              title="Quality over time"
              search={search}
              setSearch={(changes) =>
                void navigate({
                  search: (before) => ({ ...before, ...changes }),
                  replace: true,
                  resetScroll: false,
                })
              }
            />
            <Spend projectId={projectId} search={search} />
            <section aria-label="Latest runs" className={styles.runs}>
              <h2>The latest run of each testset</h2>
              {!isKnown && latest.map(({ id }) => <Skeleton key={id} rem={8} />)}
              {isKnown &&
                latest.map((run) => (
                  <LatestRun
                    key={run.id}
                    projectId={projectId}
                    run={run}
                    metrics={results.metrics.flatMap(
                      ({ metricId }) => results.resultOf(run.id, metricId) ?? [],
                    )}
                    errors={results.errorsOf(run.id)}
                    names={names}
                  />
                ))}
            </section>
            <section
              aria-label="Systems"
              className={styles.runs}
              hidden={names.systems.length === 0}
            >
              <h2>In production</h2>
              <ul className={styles.systems}>
                {names.systems.map(({ id, name, productionVersion }) => (
                  <li key={id}>
                    <Link
                      to="/projects/$projectId/systems/$systemId"
                      params={{ projectId, systemId: id }}
                    >
                      {name}
                    </Link>{' '}
                    {productionVersion.name}
                  </li>
                ))}
              </ul>
            </section>
            <MonitoredDays projectId={projectId} />
          </>
        )}
      </Together>
    </Page>
  );
}

/** The work that people and the service have yet to do. */
function Waiting({
  projectId,
  runs,
  hasOthers,
}: {
  projectId: string;
  runs: Run[];
  /** The project has older runs. */
  hasOthers: boolean;
}) {
  const progress = useReading('/review-queue/progress', { query: { projectId } });
  const underWay = runs.filter(
    ({ status, expiredAt }) =>
      runStatuses[status].isLive && status !== 'awaiting_human_scoring' && !expiredAt,
  );
  const failed = runs.filter(({ scoring, expiredAt }) => scoring.failed > 0 && !expiredAt);
  const failures = failed.reduce((sum, { scoring }) => sum + scoring.failed, 0);
  const { mine = 0, missing = 0 } = progress.data ?? {};
  return (
    <ul className={styles.waiting}>
      <li>
        <strong>{formatCount(mine)}</strong> {mine === 1 ? 'score' : 'scores'} for you to give
        {missing > mine && `, ${formatCount(missing)} in all`}
        {missing > 0 && (
          <>
            {': '}
            <Link to="/projects/$projectId/review" params={{ projectId }}>
              review
            </Link>
          </>
        )}
      </li>
      <li>
        <strong>{formatCount(underWay.length)}</strong> {underWay.length === 1 ? 'run' : 'runs'}{' '}
        under way
      </li>
      <li>
        <strong>{formatCount(failures)}</strong> not scored
        {failed[0] && (
          <>
            {' '}
            in {countOf(failed.length, 'run')},{' '}
            <Link
              to="/projects/$projectId/runs/$runId"
              params={{ projectId, runId: failed[0].id }}
              search={{ tab: 'failures' }}
            >
              the newest
            </Link>
          </>
        )}
      </li>
      {hasOthers && <li>Runs are counted among the newest {formatCount(runsMax)}.</li>}
    </ul>
  );
}
