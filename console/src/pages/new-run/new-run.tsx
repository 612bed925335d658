import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { MetricChoices, useMetricChoices } from '../../parts/metric-choices.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { visible } from '../../text/format.ts';
import { FromAnswers } from './from-answers.tsx';
import { FromCode } from './from-code.tsx';
import styles from './new-run.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs/new');

/** As many testsets as are offered. */
const testsetsMax = 100;

/** Begins a run: of answers that are there, or of a program that makes them. */
export function NewRun() {
  const { projectId } = route.useParams();
  const { testsetId: wanted, way } = route.useSearch();
  const navigate = route.useNavigate();
  const testsets = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit: testsetsMax },
  });
  const metrics = useMetricChoices(projectId);
  const [chosen, setChosen] = useState<string[]>();
  const metricIds = chosen ?? metrics?.map(({ id }) => id);
  const all = testsets.data?.data ?? [];
  const testset = all.find(({ id }) => id === wanted) ?? all[0];
  return (
    <Page
      title="New run"
      above={
        <Link to="/projects/$projectId/runs" params={{ projectId }}>
          Runs
        </Link>
      }
    >
      {testsets.error && <Problem error={testsets.error} retry={() => void testsets.refetch()} />}
      {testsets.data && !testset && <NoTestsets projectId={projectId} />}
      {testset && metricIds && (
        <div className={styles.run}>
          <Choice
            label="Testset"
            value={testset.id}
            onChange={({ target }) =>
              void navigate({
                search: (before) => ({ ...before, testsetId: target.value }),
                replace: true,
              })
            }
          >
            {all.map(({ id, name }) => (
              <option key={id} value={id}>
                {visible(name)}
              </option>
            ))}
          </Choice>
          <MetricChoices metrics={metrics} chosen={metricIds} setChosen={setChosen} />
          {metrics?.length === 0 && (
            <p className={styles.hint}>
              The project has no metric yet: the answers are stored, and{' '}
              <Link to="/projects/$projectId/metrics/new" params={{ projectId }}>
                a metric
              </Link>{' '}
              can score them later.
            </p>
          )}
          <Tabs
            label="Where the answers come from"
            tabs={[
              { text: 'Answers that you have', search: { way: undefined }, isCurrent: !way },
              { text: 'From your code', search: { way: 'code' }, isCurrent: way === 'code' },
            ]}
          />
          {way === 'code' ? (
            <FromCode projectId={projectId} testsetId={testset.id} metricIds={metricIds} />
          ) : (
            <FromAnswers
              key={testset.id}
              projectId={projectId}
              testset={testset}
              metricIds={metricIds}
            />
          )}
        </div>
      )}
    </Page>
  );
}

const NoTestsets = ({ projectId }: { projectId: string }) => (
  <Empty
    title="No testset to answer"
    action={
      <ButtonLink kind="main" to="/projects/$projectId/import" params={{ projectId }}>
        Import a file
      </ButtonLink>
    }
  >
    A run has the answers to the testcases of a testset. Import a file with them; a column of
    answers in it becomes a run at once.
  </Empty>
);
