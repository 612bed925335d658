import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMembers } from '../../api/members.ts';
import { useReading } from '../../api/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { curl } from '../../text/commands.ts';
import { countOf, formatCount } from '../../text/format.ts';
import { memberNames, runName } from '../../text/names.ts';
import { AgreementText } from './agreement.tsx';
import styles from './review.module.css';
import { SetUpReview } from './set-up.tsx';
import { type ReviewedRun, useReviewedRuns } from './use-reviewed-runs.ts';

const route = getRouteApi('/frame/projects/$projectId/review');

/** Which records wait for scores of people, for whom, and who has given how many. */
export function Review() {
  const { projectId } = route.useParams();
  const { run: runId, metric: metricId } = route.useSearch();
  const { rows, isLoading, error, retry } = useReviewedRuns(projectId);
  const [isSettingUp, setUp] = useState(false);
  const shown = rows.filter(({ run }) => !runId || run.id === runId);
  return (
    <Page
      title="Review"
      actions={
        <>
          {shown.length > 0 && <Button onClick={() => setUp(true)}>Set up a review</Button>}
          {rows.length > 0 && (
            <ButtonLink
              kind="main"
              to="/projects/$projectId/review/go"
              params={{ projectId }}
              search={{ run: runId, metric: metricId }}
            >
              Start reviewing
            </ButtonLink>
          )}
        </>
      }
    >
      {error && <Problem error={error} retry={retry} />}
      {rows.length > 0 && <Filters rows={rows} />}
      {!isLoading && !error && shown.length === 0 && (
        <Empty
          title="Nothing waits for people"
          command={curl('POST', `/projects/${projectId}/metrics`, {
            name: 'Helpful',
            evalType: 'human',
            outputType: 'boolean',
            guidelines: 'Would it help you?',
          })}
          action={
            <Button kind="main" onClick={() => setUp(true)}>
              Set up a review
            </Button>
          }
        >
          A review asks people to score records of a run, all of them or some that are drawn by
          chance. They wait here until they are scored.
        </Empty>
      )}
      {shown.map((row) => (
        <RunRow key={row.run.id} projectId={projectId} row={row} metricId={metricId} />
      ))}
      {isSettingUp && (
        <SetUpReview
          projectId={projectId}
          runId={runId}
          metricId={metricId}
          onClose={() => setUp(false)}
        />
      )}
    </Page>
  );
}

function Filters({ rows }: { rows: ReviewedRun[] }) {
  const { run: runId, metric: metricId } = route.useSearch();
  const navigate = route.useNavigate();
  const metrics = new Map(
    rows
      .filter(({ run }) => !runId || run.id === runId)
      .flatMap(({ metrics }) => metrics.map((metric) => [metric.id, metric.name])),
  );
  return (
    <div className={styles.filters}>
      <Choice
        label="Run"
        value={runId ?? ''}
        onChange={({ target }) => void navigate({ search: { run: target.value || undefined } })}
      >
        <option value="">All runs</option>
        {rows.map(({ run }) => (
          <option key={run.id} value={run.id}>
            {runName(run)}
          </option>
        ))}
      </Choice>
      <Choice
        label="Metric"
        value={metricId ?? ''}
        onChange={({ target }) =>
          void navigate({ search: (all) => ({ ...all, metric: target.value || undefined }) })
        }
      >
        <option value="">All human metrics</option>
        {[...metrics].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
    </div>
  );
}

/** As wide while it is being counted. */
const countText = (count: number | undefined) => (count === undefined ? '…' : formatCount(count));

/** One run: its missing scores by metric, and who gave how many. */
function RunRow({
  projectId,
  row: { run, metrics, progress },
  metricId,
}: {
  projectId: string;
  row: ReviewedRun;
  metricId: string | undefined;
}) {
  const members = useMembers();
  const summary = useReading('/runs/:runId/summary', { params: { runId: run.id } });
  const nameOf = memberNames(members.data?.data);
  const shown = metrics.filter(({ id }) => !metricId || id === metricId);
  return (
    <article className={styles.run}>
      <header className={styles.head}>
        <h2>
          <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
            {runName(run)}
          </Link>
        </h2>
        <p>
          <strong>{countText(progress?.mine)} for you</strong>, {countText(progress?.missing)} in
          all, {countText(progress?.given)} given
        </p>
      </header>
      <ul className={styles.metrics}>
        {shown.map(({ id, name }) => {
          const own = summary.data?.metrics.find((metric) => metric.metricId === id);
          return (
            <li key={id}>
              <span className={styles.metricName}>{name}</span>
              <span>
                {countText(own?.count)} of {countOf(run.numRecords, 'record')} scored
                {own?.agreement && (
                  <>
                    {' · '}
                    <AgreementText agreement={own.agreement} />
                  </>
                )}
              </span>
              <ButtonLink
                to="/projects/$projectId/review/go"
                params={{ projectId }}
                search={{ run: run.id, metric: metrics.length > 1 ? id : undefined }}
                aria-label={`Review ${name} in ${runName(run)}`}
              >
                Review
              </ButtonLink>
            </li>
          );
        })}
      </ul>
      <p className={styles.given}>
        {progress && progress.byMember.length > 0 && (
          <span>
            Given by{' '}
            {progress.byMember
              .map(({ userId, given }) => `${nameOf(userId)} ${formatCount(given)}`)
              .join(' · ')}
          </span>
        )}
        <Link
          to="/projects/$projectId/review/go"
          params={{ projectId }}
          search={{ run: run.id, metric: metricId, only: 'assigned' }}
        >
          Only what is assigned to me
        </Link>
      </p>
    </article>
  );
}
