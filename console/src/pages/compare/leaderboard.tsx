import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { reading } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { Problem } from '../../parts/problem.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { writeDifference, writeValue } from '../../text/verdicts.ts';
import styles from './compare.module.css';

/** Three to eight runs: each against the baseline, metric by metric. */
export function Leaderboard({
  baseline,
  candidates,
  names,
}: {
  baseline: string;
  candidates: string[];
  names: (id: string) => string;
}) {
  const base = useQueries({
    queries: [reading('/runs/:runId/summary', { params: { runId: baseline } })],
  })[0]!;
  const comparisons = useQueries({
    queries: candidates.map((candidate) => ({
      queryKey: ['/comparisons', baseline, candidate, undefined, undefined],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        request('POST', '/comparisons', {
          body: { baselineRunId: baseline, candidateRunId: candidate },
          signal,
        }),
    })),
  });
  const error = base.error ?? comparisons.find((one) => one.error)?.error;
  const metrics = base.data?.metrics ?? [];
  return (
    <>
      {error && <Problem error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Runs against the baseline">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Metric</th>
              <th scope="col">{names(baseline)} (baseline)</th>
              {candidates.map((candidate) => (
                <th key={candidate} scope="col">
                  <Link
                    from="/projects/$projectId/compare"
                    search={(before) => ({ ...before, candidate: [candidate] })}
                  >
                    {names(candidate)}
                  </Link>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {metrics.map(({ metricId, name, mean, outputType }) => (
              <tr key={metricId}>
                <th scope="row">{name}</th>
                <td>{mean === null ? '–' : writeValue({ outputType }, mean)}</td>
                {comparisons.map(({ data }, index) => {
                  const metric = data?.metrics.find((one) => one.metricId === metricId);
                  return (
                    <td key={candidates[index]}>
                      {metric && metric.candidateMean !== null && metric.difference !== null ? (
                        <>
                          {writeValue(metric, metric.candidateMean)}{' '}
                          <span>({writeDifference(metric, metric.difference)})</span>{' '}
                          <VerdictMark verdict={metric.verdict} />
                        </>
                      ) : (
                        '–'
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p className={styles.hint}>
        Each run is compared with the baseline by itself: the verdicts are not corrected for the
        number of runs. Of many runs, one may look better by luck.
      </p>
    </>
  );
}
