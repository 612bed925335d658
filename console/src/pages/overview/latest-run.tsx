import type { ItemOf } from '@assay/client/operations';
import { partOfRun } from '@assay/client/part-of-run';
import { Link } from '@tanstack/react-router';
import { useComparison } from '../../api/comparison.ts';
import type { Names } from '../../api/names.ts';
import { useReading } from '../../api/query.ts';
import type { MetricResult, Result } from '../../api/run-results.ts';
import { Rate } from '../../parts/rate.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { countOf } from '../../text/format.ts';
import { runName } from '../../text/names.ts';
import { decidingFigures, type MetricComparison, writeDifference } from '../../text/verdicts.ts';
import styles from './overview.module.css';

/** The latest run of a testset: its results, and whether they are better than the baseline's. */
export function LatestRun({
  projectId,
  run,
  metrics,
  errors,
  names,
}: {
  projectId: string;
  run: ItemOf<'/projects/:projectId/runs'>;
  metrics: MetricResult[];
  errors: Result | undefined;
  names: Names;
}) {
  const { id: runId, testsetId } = run;
  const listed = names.testsets.find(({ id }) => id === testsetId);
  const read = useReading('/testsets/:testsetId', {
    params: { testsetId: testsetId ?? '' },
    isEnabled: names.areRead && !listed && testsetId !== null,
  });
  const testset = listed ?? read.data;
  const baseline = testset?.baselineRunId ?? undefined;
  const isCompared = baseline !== undefined && baseline !== runId;
  const comparison = useComparison({
    baseline: isCompared ? baseline : undefined,
    candidate: runId,
  });
  const part = partOfRun(run);
  const comparedOf = (metricId: string) => {
    const metric = comparison.data?.metrics.find((one) => one.metricId === metricId);
    return metric && { ...metric, ...decidingFigures(metric) };
  };
  return (
    <article className={styles.run}>
      <header className={styles.head}>
        <h3>{testsetId ? names.testset(testsetId) : 'Runs without a testset'}</h3>
        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
          {runName(run)}
        </Link>
        <Time at={run.createdAt} />
        <Status run={run} />
        {part && <span>{part}</span>}
      </header>
      <dl className={styles.results}>
        {metrics.map((metric) => {
          const compared = comparedOf(metric.metricId);
          return (
            <div key={metric.metricId}>
              <dt>{metric.name}</dt>
              <dd>
                <Rate result={metric} />
              </dd>
              {isCompared && comparison.isPending && <dd>Comparing …</dd>}
              {compared && (
                <dd>
                  <VerdictMark verdict={compared.verdict} />{' '}
                  {compared.difference !== null &&
                    writeDifference(compared, compared.difference, compared.confidenceInterval)}
                  {compared.decidedBy === 'judge' && ' by the judge alone'}
                </dd>
              )}
            </div>
          );
        })}
        {errors?.mean ? (
          <div>
            <dt>Errors</dt>
            <dd>
              <Rate result={errors} />
            </dd>
          </div>
        ) : null}
      </dl>
      {isCompared && (
        <p>
          <Link
            to="/projects/$projectId/compare"
            params={{ projectId }}
            search={{ baseline, candidate: [runId] }}
          >
            Compare with the baseline
          </Link>
          {comparison.data && `: ${verdictsText(comparison.data.metrics)}`}
        </p>
      )}
    </article>
  );
}

/** On how many metrics a run is better and worse: "better on 2 of 4 metrics, worse on 1". */
function verdictsText(metrics: MetricComparison[]): string {
  const verdicts = metrics.map((metric) => decidingFigures(metric).verdict);
  const [better, worse] = (['better', 'worse'] as const).map(
    (wanted) => verdicts.filter((verdict) => verdict === wanted).length,
  );
  return `better on ${better} of ${countOf(metrics.length, 'metric')}, worse on ${worse}`;
}
