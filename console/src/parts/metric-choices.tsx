import { useReading } from '../api/query.ts';
import { isOfPairs, type Metric, scaleText, scorerOf, scorers } from '../text/metrics.ts';
import { Checkboxes } from './checkboxes.tsx';

/** As many metrics as are offered. */
const metricsMax = 100;

/** The metrics of a project by which a run can be scored; undefined while they are read. */
export function useMetricChoices(projectId: string | undefined): Metric[] | undefined {
  const metrics = useReading('/projects/:projectId/metrics', {
    params: { projectId: projectId ?? '' },
    query: { limit: metricsMax },
    isEnabled: projectId !== undefined,
  });
  if (projectId === undefined) return [];
  // A run can be made without metrics, and scored later.
  if (metrics.error) return [];
  return metrics.data?.data.filter((metric) => !isOfPairs(metric));
}

/** Chooses the metrics by which a new run is scored. */
export function MetricChoices({
  metrics,
  chosen,
  setChosen,
}: {
  metrics: Metric[] | undefined;
  chosen: string[] | undefined;
  setChosen: (metricIds: string[]) => void;
}) {
  if (!metrics || !chosen || metrics.length === 0) return null;
  return (
    <Checkboxes
      legend="Scored by"
      items={metrics.map((metric) => ({
        id: metric.id,
        name: metric.name,
        hint: `${scorers[scorerOf(metric)].text} · ${scaleText(metric)}`,
      }))}
      chosen={chosen}
      setChosen={setChosen}
    />
  );
}
