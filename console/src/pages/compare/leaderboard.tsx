import type { ComparedMetric } from '@assay/comparison/figures';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reading } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import type { Result } from '../../api/run-results.ts';
import { Problem } from '../../parts/problem.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { type Verdict, writeDifference, writeSide, writeValue } from '../../text/verdicts.ts';
import styles from './compare.module.css';
import { correctedVerdicts } from './corrected-verdicts.ts';
import { RunPart } from './run-part.tsx';

/** Three to eight runs: each against the baseline, metric by metric. */
export function Leaderboard({
  baseline,
  candidates,
  level = '0.95',
  names,
}: {
  baseline: string;
  candidates: string[];
  level?: string | undefined;
  names: (id: string) => string;
}) {
  const base = useQueries({
    queries: [reading('/runs/:runId/summary', { params: { runId: baseline } })],
  })[0]!;
  const comparisons = useQueries({
    queries: candidates.map((candidate) => ({
      queryKey: ['/comparisons', baseline, candidate, undefined, level],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request('POST', '/comparisons', {
          body: { baselineRunId: baseline, candidateRunId: candidate, level: Number(level) },
          signal,
        }),
    })),
  });
  const error = base.error ?? comparisons.find((one) => one.error)?.error;
  const read = comparisons.flatMap(({ data }) => (data ? [data] : []));
  // Until all are read, nobody knows of how many tests a verdict is one.
  const verdictOf =
    read.length === candidates.length ? correctedVerdicts(read, Number(level)) : undefined;
  const metrics = base.data?.metrics ?? [];
  const errors = base.data?.errors;
  return (
    <>
      {error && <Problem error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Runs against the baseline">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">
                {names(baseline)} (baseline)
                <RunPart runId={baseline} />
              </th>
              {candidates.map((candidate) => (
                <th key={candidate} scope="col">
                  <Link
                    from="/projects/$projectId/compare"
                    search={(before) => ({ ...before, candidate: [candidate] })}
                  >
                    {names(candidate)}
                  </Link>
                  <RunPart runId={candidate} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {metrics.map((metric) => (
              <ComparedWithBaseline
                key={metric.metricId}
                name={metric.name}
                baseline={metric}
                verdictOf={verdictOf}
                compared={comparisons.map(({ data }) =>
                  data?.metrics.find(({ metricId }) => metricId === metric.metricId),
                )}
              />
            ))}
            {errors && (
              <ComparedWithBaseline
                name="Errors"
                baseline={errors}
                verdictOf={verdictOf}
                compared={comparisons.map(({ data }) => data?.errors)}
              />
            )}
          </tbody>
        </table>
      </section>
      <p className={styles.hint}>
        Each run is compared with the baseline. The verdicts are corrected for all runs and metrics
        of this table (Holm), since one of many would look better by luck: in a comparison of two
        runs alone, the same difference may have a verdict.
      </p>
    </>
  );
}

/** A metric of the baseline, or its errors, beside those of each candidate. */
const ComparedWithBaseline = ({
  name,
  baseline,
  compared,
  verdictOf,
}: {
  name: string;
  baseline: Result;
  compared: (ComparedMetric | undefined)[];
  verdictOf: ((metric: ComparedMetric) => Verdict) | undefined;
}) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{baseline.mean === null ? '–' : writeValue(baseline, baseline.mean)}</td>
    {compared.map((metric, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: The place of a column is the candidate's.
      <td key={place}>
        {metric && metric.candidateMean !== null && metric.difference !== null ? (
          <>
            {writeSide(metric, metric.candidateMean)}{' '}
            <span>({writeDifference(metric, metric.difference)})</span>{' '}
            {verdictOf && <VerdictMark verdict={verdictOf(metric)} />}
          </>
        ) : (
          '–'
        )}
      </td>
    ))}
  </tr>
);
