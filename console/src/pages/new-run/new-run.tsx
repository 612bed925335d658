import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { MetricChoices, useMetricChoices } from '../../parts/metric-choices.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { visible } from '../../text/format.ts';
import { whereOf } from '../testset/case-language.ts';
import { FromAnswers } from './from-answers.tsx';
import { FromCode } from './from-code.tsx';
import styles from './new-run.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs/new');

/** Begins a run: of answers that are there, or of a program that makes them. */
export function NewRun() {
  const { projectId } = route.useParams();
  const { testsetId: wanted, way, where: fields } = route.useSearch();
  const where = whereOf({ where: fields });
  const navigate = route.useNavigate();
  const testsets = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit: 1 },
  });
  const chosenTestset = useReading('/testsets/:testsetId', {
    params: { testsetId: wanted ?? '' },
    isEnabled: wanted !== undefined,
  });
  const metrics = useMetricChoices(projectId);
  const [chosen, setChosen] = useState<string[]>();
  const metricIds = chosen ?? metrics?.map(({ id }) => id);
  const [first] = testsets.data?.data ?? [];
  const testset = wanted !== undefined && !chosenTestset.error ? chosenTestset.data : first;
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
      {testsets.data && !first && <NoTestsets projectId={projectId} />}
      {first && metricIds && (
        <div className={styles.run}>
          <NameChoice
            projectId={projectId}
            label="Testset"
            kind="testset"
            value={testset?.id ?? wanted}
            choose={(testsetId) =>
              void navigate({
                search: (before) => ({ ...before, testsetId, where: undefined }),
                replace: true,
              })
            }
          />
          {where !== undefined && (
            <div className={styles.foot}>
              <p className={styles.text}>
                Only the testcases with <code>{visible(where)}</code>
              </p>
              <Button
                kind="quiet"
                onClick={() =>
                  void navigate({
                    search: (before) => ({ ...before, where: undefined }),
                    replace: true,
                  })
                }
              >
                All testcases
              </Button>
            </div>
          )}
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
          {testset && way === 'code' && (
            <FromCode
              projectId={projectId}
              testsetId={testset.id}
              metricIds={metricIds}
              where={where}
            />
          )}
          {testset && way !== 'code' && (
            <FromAnswers
              key={`${testset.id} ${where}`}
              projectId={projectId}
              testset={testset}
              metricIds={metricIds}
              where={where}
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
