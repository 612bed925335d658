import { Link, useParams } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { failureAdvice } from '../../text/failures.ts';
import { countOf, visible } from '../../text/format.ts';
import styles from './run.module.css';
import type { MetricSummary } from './run-summary.ts';
import type { RunReply } from './use-live-run.ts';

/** Scores that could not be made: what is wrong, what to do, and examples of each kind. */
export function Failures({ run, metrics }: { run: RunReply; metrics: MetricSummary[] }) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/runs/$runId' });
  const failures = useReading('/runs/:runId/failures', {
    params: { runId: run.id },
    query: { limit: 100 },
  });
  if (failures.error)
    return <Problem error={failures.error} retry={() => void failures.refetch()} />;
  if (!failures.data) return null;
  const { data, hasMore } = failures.data;
  if (data.length === 0)
    return <Empty title="Nothing failed">Every score that was tried was made.</Empty>;
  const nameOf = (id: string) =>
    metrics.find(({ metricVersionId }) => metricVersionId === id)?.name ?? 'a metric';
  return (
    <div className={styles.failures}>
      {hasMore && (
        <p>
          These are the first {data.length} of {countOf(run.scoring.failed, 'failure')}.
        </p>
      )}
      {[...Map.groupBy(data, ({ code }) => code)].map(([code, members]) => (
        <section key={code} className={styles.failure}>
          <h2>
            {failureAdvice[code].text} <code>{code}</code>
          </h2>
          <p>{failureAdvice[code].advice}</p>
          <ul>
            {members.slice(0, 5).map(({ recordId, metricVersionId, message, attempts }) => (
              <li key={recordId + metricVersionId}>
                <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId: run.id }}>
                  {nameOf(metricVersionId)}
                </Link>
                : {visible(message)} ({countOf(attempts, 'attempt')})
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
