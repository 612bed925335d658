import type { ReplyOf } from '@assay/client/operations';
import { hasErrors } from '@assay/comparison/figures';
import { warningsOf } from '@assay/comparison/notes';
import { isSameScale } from '@assay/contracts/scale';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMetrics } from '../../api/metrics.ts';
import { Choice } from '../../parts/field.tsx';
import { IntervalPlot } from '../../parts/interval-plot.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { formatCount } from '../../text/format.ts';
import { scaleText } from '../../text/metrics.ts';
import {
  biasSentence,
  correctionOf,
  decidingFigures,
  judgeSentence,
  type MetricComparison,
  probability,
  verdictSentence,
  writeDifference,
  writeSide,
} from '../../text/verdicts.ts';
import { AskPeople } from './ask-people.tsx';
import styles from './compare.module.css';
import { SizeAdvice } from './size-advice.tsx';
import { Warnings } from './warnings.tsx';

const route = getRouteApi('/frame/projects/$projectId/compare');

type Comparison = ReplyOf<'POST', '/comparisons'>;

/** One row a metric: the verdict in a sentence first, then the figures that it is made of. */
export function MetricRows({
  comparison,
  chosen,
  names,
  projectId,
}: {
  comparison: Comparison;
  chosen: string | undefined;
  names: { baseline: string; candidate: string };
  projectId: string;
}) {
  const reachOf = reaches(comparison.metrics);
  const project = useMetrics(projectId);
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
            <VerdictMark verdict={decidingFigures(metric).verdict} />
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
          {metric.calibrated ? (
            <JudgeVerdict metric={metric} names={names} reach={reachOf(metric)} />
          ) : (
            <p>{verdictSentence(metric, names.candidate)}</p>
          )}
          <SizeAdvice comparison={comparison} metric={metric} />
          <Figures metric={metric} reach={reachOf(metric)} />
          {metric.evalType === 'ai' && (
            <HumanMetricChoice metric={metric} metrics={comparison.metrics} />
          )}
          <Warnings warnings={warningsOf(metric)} />
        </li>
      ))}
      {hasErrors(comparison) && (
        <ErrorsRow errors={comparison.errors} candidate={names.candidate} />
      )}
    </ul>
  );
}

/** How often the systems failed. */
const ErrorsRow = ({ errors, candidate }: { errors: Comparison['errors']; candidate: string }) => (
  <li className={styles.metric}>
    <div className={styles.verdictLine}>
      <h2>Errors</h2>
      <VerdictMark verdict={errors.verdict} />
    </div>
    <p>{verdictSentence(errors, candidate)}</p>
    <Warnings warnings={errors.warnings} />
  </li>
);

/** The verdict as people's scores correct it first, and the verdict of the judge alone. */
function JudgeVerdict({
  metric,
  names,
  reach,
}: {
  metric: MetricComparison;
  names: { baseline: string; candidate: string };
  reach: number;
}) {
  const correction = correctionOf(metric);
  if (!correction)
    return (
      <>
        <p>{verdictSentence(metric, names.candidate)}</p>
        {metric.calibrated?.reason && <p className={styles.hint}>{metric.calibrated.reason}</p>}
      </>
    );
  const { difference, confidenceInterval, labelsWorth } = correction;
  const { low, high } = confidenceInterval;
  return (
    <>
      <p>{verdictSentence(metric, names.candidate)}</p>
      <div className={styles.figures}>
        <strong>{writeDifference(metric, difference, confidenceInterval)}</strong>
        <IntervalPlot
          difference={difference}
          low={low}
          high={high}
          detectable={null}
          reach={reach}
          label={`Corrected difference ${writeDifference(metric, difference, confidenceInterval)}, interval ${writeDifference(metric, low, confidenceInterval)} to ${writeDifference(metric, high, confidenceInterval)}`}
        />
        {labelsWorth !== null && (
          <span>as sure as {formatCount(labelsWorth)} scores without a judge</span>
        )}
      </div>
      <p>{biasSentence(metric, correction, names)}</p>
      <p className={styles.hint}>{judgeSentence(metric, names.candidate)}</p>
    </>
  );
}

/** By whose scores a judge is corrected, where the runs have a human metric that could do it. */
function HumanMetricChoice({
  metric: judge,
  metrics,
}: {
  metric: MetricComparison;
  metrics: MetricComparison[];
}) {
  const { people } = route.useSearch();
  const navigate = route.useNavigate();
  const fitting = metrics.filter(
    (metric) => metric.evalType === 'human' && isSameScale(metric, judge),
  );
  if (fitting.length === 0) return null;
  return (
    <div className={styles.people}>
      <Choice
        label="Corrected by people's scores of"
        value={people ?? ''}
        onChange={({ target }) =>
          void navigate({
            search: (before) => ({ ...before, people: target.value || undefined }),
            resetScroll: false,
          })
        }
      >
        <option value="">this metric</option>
        {fitting.map(({ metricId, name }) => (
          <option key={metricId} value={metricId}>
            {name}
          </option>
        ))}
      </Choice>
    </div>
  );
}

function Figures({ metric, reach }: { metric: MetricComparison; reach: number }) {
  const { baselineMean, candidateMean, difference, confidenceInterval, pValue } = metric;
  const { improved, regressed, unchanged, minimumDetectableDifference } = metric;
  return (
    <div className={styles.figures}>
      <span>
        {writeSide(metric, baselineMean)} → {writeSide(metric, candidateMean)}
      </span>
      <strong>
        {difference === null ? '–' : writeDifference(metric, difference, confidenceInterval)}
      </strong>
      {difference !== null && confidenceInterval && (
        <IntervalPlot
          difference={difference}
          low={confidenceInterval.low}
          high={confidenceInterval.high}
          detectable={minimumDetectableDifference}
          reach={reach}
          label={`Difference ${writeDifference(metric, difference, confidenceInterval)}, interval ${writeDifference(metric, confidenceInterval.low, confidenceInterval)} to ${writeDifference(metric, confidenceInterval.high, confidenceInterval)}`}
        />
      )}
      {confidenceInterval && (
        <span>
          {writeDifference(metric, confidenceInterval.low, confidenceInterval)} …{' '}
          {writeDifference(metric, confidenceInterval.high, confidenceInterval)}
        </span>
      )}
      {pValue !== null && <span>p {probability(pValue)}</span>}
      <span title="improved, regressed, unchanged">
        ▲{formatCount(improved)} ▼{formatCount(regressed)} ={formatCount(unchanged)}
      </span>
    </div>
  );
}

/** Half of the width of the plots: the same for all metrics of one scale. */
function reaches(metrics: MetricComparison[]): (metric: MetricComparison) => number {
  const reach = new Map<string, number>();
  for (const metric of metrics) {
    const { confidenceInterval, calibrated, minimumDetectableDifference } = metric;
    const ends = [confidenceInterval, calibrated?.confidenceInterval].flatMap((interval) =>
      interval ? [Math.abs(interval.low), Math.abs(interval.high)] : [],
    );
    const own = Math.max(...ends, minimumDetectableDifference ?? 0);
    reach.set(scaleText(metric), Math.max(reach.get(scaleText(metric)) ?? 0, own));
  }
  return (metric) => (reach.get(scaleText(metric)) || 1) * 1.1;
}
