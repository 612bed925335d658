import { useMetrics } from '../api/metrics.ts';
import { isOfPairs, type Metric, scaleText, scorerOf, scorers } from '../text/metrics.ts';
import { Checkboxes } from './checkboxes.tsx';

/** The metrics of a project by which a run can be scored; undefined while they are read. */
export function useMetricChoices(projectId: string | undefined): Metric[] | undefined {
  const metrics = useMetrics(projectId);
  if (projectId === undefined) return [];
  // A run can be made without metrics, and scored later.
  if (metrics.error) return [];
  return metrics.data?.data.filter((metric) => !isOfPairs(metric));
}

/** Chooses metrics that score records. */
export function MetricChoices({
  metrics,
  chosen,
  setChosen,
  legend = 'Scored by',
  name,
}: {
  metrics: Metric[] | undefined;
  chosen: string[] | undefined;
  setChosen: (metricIds: string[]) => void;
  legend?: string;
  /** Under which a form has the ids. */
  name?: string;
}) {
  if (!metrics || !chosen || metrics.length === 0) return null;
  return (
    <Checkboxes
      legend={legend}
      name={name}
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
