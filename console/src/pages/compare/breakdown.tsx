import type { ReplyOf } from '@assay/client/operations';
import { breakdownNote, breakdownValue } from '@assay/comparison/breakdown';
import { parseByValue } from '@assay/json/parse';
import { Link, useParams } from '@tanstack/react-router';
import { type ComparisonOptions, useBrokenDown } from '../../api/comparison.ts';
import { Problem } from '../../parts/problem.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import { type MetricComparison, writeDifference, writeSide } from '../../text/verdicts.ts';
import styles from './compare.module.css';

type Row = NonNullable<ReplyOf<'POST', '/comparisons'>['breakdown']>['rows'][number];

/** The comparison for each value of a field, or for each tag. */
export function Breakdown(asked: ComparisonOptions & { breakdownBy: string }) {
  const { data, error, refetch, isFetching } = useBrokenDown(asked);
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  const breakdown = data?.breakdown;
  if (!breakdown)
    return (
      <p className={styles.hint} hidden={!isFetching}>
        Breaking down …
      </p>
    );
  const { metrics } = data;
  return (
    <section aria-label="Breakdown">
      <h2>By {visible(breakdown.by)}</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Values">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Value</th>
              <th scope="col">Testcases</th>
              {metrics.map(({ metricId, name }) => (
                <th key={metricId} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {breakdown.rows.map((row) => (
              <tr key={row.value ?? ''}>
                <th scope="row">
                  <Value value={row.value} by={breakdown.by} runId={data.candidateRunId} />
                </th>
                <td>{formatCount(row.testcases)}</td>
                {row.metrics.map((cell, place) => (
                  <Cell key={cell.metricId} cell={cell} metric={metrics[place]!} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className={styles.hint}>
        {visible(breakdownNote(breakdown))}
        {breakdown.other.testcases > 0 &&
          ` They have ${countOf(breakdown.other.testcases, 'testcase')}.`}
      </p>
    </section>
  );
}

/** A tag leads to the records of the candidate that have it. */
function Value({ value, by, runId }: { value: string | null; by: string; runId: string }) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/compare' });
  const text = visible(breakdownValue(value));
  if (by !== 'tags' || value === null) return text;
  return (
    <Link
      to="/projects/$projectId/runs/$runId"
      params={{ projectId, runId }}
      search={{ tags: [parseByValue(value) as string] }}
      title="The records of the candidate that have this tag"
    >
      {text}
    </Link>
  );
}

function Cell({ cell, metric }: { cell: Row['metrics'][number]; metric: MetricComparison }) {
  const { difference, confidenceInterval: interval, paired } = cell;
  if (difference === null) return <td>–</td>;
  const shown = { ...metric, confidenceInterval: interval, difference };
  return (
    <td>
      {writeSide(shown, cell.baselineMean)} → {writeSide(shown, cell.candidateMean)}{' '}
      <strong>{writeDifference(metric, difference, interval)}</strong>{' '}
      <VerdictMark verdict={cell.verdict} />
      <div className={styles.hint}>
        {interval
          ? `${writeDifference(metric, interval.low, interval)} … ${writeDifference(metric, interval.high, interval)}, `
          : ''}
        {countOf(paired, 'pair')}
      </div>
    </td>
  );
}
