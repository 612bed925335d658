import type { ReplyOf } from '@assay/client/operations';
import { breakdownValue } from '@assay/comparison/breakdown';
import { parseByValue } from '@assay/json/parse';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { BreakdownField } from '../../parts/pointer-field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import { writeValue } from '../../text/verdicts.ts';
import { noValue } from './breakdown-filter.ts';
import styles from './run.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

type RunBreakdown = NonNullable<ReplyOf<'GET', '/runs/:runId/summary'>['breakdown']>;

/** The results of a run for each value of a field, or for each tag of its records. */
export function Breakdown({ runId, testsetId }: { runId: string; testsetId: string | null }) {
  const { breakdown: by } = route.useSearch();
  const navigate = route.useNavigate();
  const summary = useReading('/runs/:runId/summary', {
    params: { runId },
    query: { breakdownBy: by ?? '' },
    isEnabled: by !== undefined,
  });
  const shown = by === undefined ? undefined : summary.data?.breakdown;
  return (
    <section className={styles.breakdown} aria-label="Breakdown">
      <BreakdownField
        testsetId={testsetId}
        value={by}
        change={(breakdown) =>
          void navigate({ search: (before) => ({ ...before, breakdown }), resetScroll: false })
        }
      />
      {summary.error && <Problem error={summary.error} retry={() => void summary.refetch()} />}
      {shown && (
        <>
          <Values shown={shown} />
          <p className={styles.hint}>
            A mean or a pass rate, with its interval: each is for its own row. Of many rows, some
            look better or worse by luck.
            {shown.other.values > 0 &&
              ` ${countOf(shown.other.values, 'further value')}, of ${countOf(shown.other.records, 'record')}, not shown.`}
          </p>
        </>
      )}
    </section>
  );
}

const Values = ({ shown: { rows, by } }: { shown: RunBreakdown }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by the keyboard.
  <section className={styles.scroll} tabIndex={0} aria-label="Values">
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{visible(by)}</th>
          <th scope="col">Records</th>
          {rows[0]?.metrics.map(({ metricVersionId, name }) => (
            <th key={metricVersionId} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ value, records, metrics }) => (
          <tr key={value ?? ''}>
            <th scope="row">
              <Value value={value} by={by} />
            </th>
            <td>{formatCount(records)}</td>
            {metrics.map((metric) => (
              <td key={metric.metricVersionId}>
                <Figure metric={metric} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);

/** A row leads to its records. An index finds those of a tag. */
const Value = ({ value, by }: { value: string | null; by: string }) => (
  <Link
    from="/projects/$projectId/runs/$runId"
    search={
      by === 'tags' && value !== null
        ? { tags: [parseByValue(value) as string] }
        : { breakdownBy: by, breakdownValue: value ?? noValue }
    }
    title="The records of this row"
  >
    {visible(breakdownValue(value))}
  </Link>
);

function Figure({ metric }: { metric: RunBreakdown['rows'][number]['metrics'][number] }) {
  const { mean, confidenceInterval: interval, count } = metric;
  if (mean === null) return '–';
  return (
    <>
      <strong>{writeValue(metric, mean)}</strong>{' '}
      {interval && `${writeValue(metric, interval.low)} … ${writeValue(metric, interval.high)}, `}
      {countOf(count, 'testcase')}
    </>
  );
}
