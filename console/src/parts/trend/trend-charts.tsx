import { isSystemMetricId } from '@assay/client/system-metrics';
import { scaleOf } from '@assay/contracts/scale';
import { Link, useNavigate } from '@tanstack/react-router';
import type { MetricResult } from '../../api/run-results.ts';
import { TimeChart } from '../chart/time-chart.tsx';
import styles from './trend.module.css';
import { chartPoints, type Trends, writeOf, writeTickOf } from './trend-points.ts';

/** A chart for each metric: the scores of runs over time, with the newest value beside the name. */
export function TrendCharts({
  projectId,
  trends,
  metrics,
  range,
  onSpan,
}: {
  projectId: string;
  trends: Trends;
  metrics: MetricResult[];
  range: { from?: number | undefined; to?: number | undefined };
  onSpan: (from: number, to: number) => void;
}) {
  const navigate = useNavigate();
  return (
    <div className={styles.charts}>
      {metrics.map((metric) => {
        const { metricId, name, mean, lowerIsBetter } = metric;
        const write = writeOf(metric);
        return (
          <figure key={metricId} className={styles.trend}>
            <figcaption>
              <TrendName projectId={projectId} metricId={metricId} name={name} />
              <strong>{write(mean!)}</strong>
              {lowerIsBetter && <span className={styles.hint}>less is better</span>}
            </figcaption>
            <TimeChart
              label={`${name} over time`}
              points={chartPoints(trends, metricId)}
              bounds={scaleOf(metric)}
              formatTick={writeTickOf(metric)}
              range={range}
              onOpen={({ id: runId }) =>
                void navigate({
                  to: '/projects/$projectId/runs/$runId',
                  params: { projectId, runId },
                })
              }
              onSpan={onSpan}
            />
          </figure>
        );
      })}
    </div>
  );
}

/** The metrics of the records themselves have no page. */
function TrendName({
  projectId,
  metricId,
  name,
}: {
  projectId: string;
  metricId: string;
  name: string;
}) {
  if (isSystemMetricId(metricId)) return <span>{name}</span>;
  return (
    <Link
      to="/projects/$projectId/metrics/$metricId"
      params={{ projectId, metricId }}
      search={{ tab: 'trend' }}
    >
      {name}
    </Link>
  );
}
