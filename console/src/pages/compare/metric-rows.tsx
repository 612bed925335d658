import { Link } from '@tanstack/react-router';
import type { ReplyOf } from '../../api/operations.ts';
import { useReading } from '../../api/query.ts';
import { IntervalPlot } from '../../parts/interval-plot.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { formatCount } from '../../text/format.ts';
import {
  type MetricComparison,
  verdictSentence,
  writeDifference,
  writeP,
  writeValue,
} from '../../text/verdicts.ts';
import { AskPeople } from './ask-people.tsx';
import styles from './compare.module.css';

type Comparison = ReplyOf<'POST', '/comparisons'>;

/** One row a metric: the verdict in a sentence first, then the figures that it is made of. */
export function MetricRows({
  comparison,
  chosen,
  candidateName,
  projectId,
}: {
  comparison: Comparison;
  chosen: string | undefined;
  candidateName: string;
  projectId: string;
}) {
  const reachOf = reaches(comparison.metrics);
  const project = useReading('/projects/:projectId/metrics', {
    params: { projectId },
    query: { limit: 100 },
  });
  const judgeOf = (metricId: string) =>
    project.data?.data.find(({ id, evalType }) => id === metricId && evalType === 'ai');
  return (
    <ul className={styles.metrics}>
      {comparison.metrics.map((metric) => (
        <li
          key={metric.metricId}
          className={`${styles.metric} ${metric.metricId === chosen ? styles.chosen : ''}`}
        >
          <div className={styles.verdictLine}>
            <h2>
              <Link
                from="/projects/$projectId/compare"
                search={(before) => ({ ...before, metric: metric.metricId, pair: undefined })}
                resetScroll={false}
                aria-current={metric.metricId === chosen ? 'true' : undefined}
              >
                {metric.name}
              </Link>
            </h2>
            <VerdictMark verdict={metric.verdict} />
            <Link
              to="/projects/$projectId/metrics/$metricId"
              params={{ projectId, metricId: metric.metricId }}
              search={{ run: comparison.candidateRunId }}
              className={styles.metricLink}
            >
              How it scores <span className="for-screen-readers">{metric.name}</span>
            </Link>
            {judgeOf(metric.metricId) && (
              <AskPeople
                projectId={projectId}
                baselineRunId={comparison.baselineRunId}
                candidateRunId={comparison.candidateRunId}
                metric={metric}
                judge={judgeOf(metric.metricId)!}
                metrics={project.data!.data}
              />
            )}
          </div>
          <p>{verdictSentence(metric, candidateName)}</p>
          <Figures metric={metric} reach={reachOf(metric)} />
          {metric.warnings?.map(({ message }) => (
            <p key={message} className={styles.warning}>
              ! {message}
            </p>
          ))}
        </li>
      ))}
    </ul>
  );
}

function Figures({ metric, reach }: { metric: MetricComparison; reach: number }) {
  const { baselineMean, candidateMean, difference, confidenceInterval, pValue } = metric;
  const { improved, regressed, unchanged, minimumDetectableDifference } = metric;
  return (
    <div className={styles.figures}>
      <span>
        {baselineMean === null ? '–' : writeValue(metric, baselineMean)} →{' '}
        {candidateMean === null ? '–' : writeValue(metric, candidateMean)}
      </span>
      <strong>{difference === null ? '–' : writeDifference(metric, difference)}</strong>
      {difference !== null && confidenceInterval && (
        <IntervalPlot
          difference={difference}
          low={confidenceInterval.low}
          high={confidenceInterval.high}
          detectable={minimumDetectableDifference}
          reach={reach}
          label={`Difference ${writeDifference(metric, difference)}, interval ${writeDifference(metric, confidenceInterval.low)} to ${writeDifference(metric, confidenceInterval.high)}`}
        />
      )}
      {confidenceInterval && (
        <span>
          {writeDifference(metric, confidenceInterval.low)} …{' '}
          {writeDifference(metric, confidenceInterval.high)}
        </span>
      )}
      {pValue !== null && <span>p {writeP(pValue)}</span>}
      <span title="improved, regressed, unchanged">
        ▲{formatCount(improved)} ▼{formatCount(regressed)} ={formatCount(unchanged)}
      </span>
    </div>
  );
}

/** Half of the width of the plots: the same for all metrics whose values have one unit. */
function reaches(metrics: MetricComparison[]): (metric: MetricComparison) => number {
  const reach = new Map<string, number>();
  for (const { outputType, confidenceInterval, minimumDetectableDifference } of metrics) {
    const { low = 0, high = 0 } = confidenceInterval ?? {};
    const own = Math.max(Math.abs(low), Math.abs(high), minimumDetectableDifference ?? 0);
    reach.set(outputType, Math.max(reach.get(outputType) ?? 0, own));
  }
  return ({ outputType }) => (reach.get(outputType) || 1) * 1.1;
}
