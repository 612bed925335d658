import { useState } from 'react';
import { MetricChoices, useMetricChoices } from '../../parts/metric-choices.tsx';

/** The metrics of a project, to be chosen in a form, which has each as a `metric`. */
export function MetricsOfForm({
  projectId,
  chosen: chosenBefore = [],
}: {
  projectId: string;
  chosen?: readonly string[];
}) {
  const metrics = useMetricChoices(projectId);
  const [chosen, setChosen] = useState([...chosenBefore]);
  if (metrics?.length === 0) return <p>The project has no metrics yet.</p>;
  return (
    <MetricChoices
      legend="Metrics"
      name="metric"
      metrics={metrics}
      chosen={chosen}
      setChosen={setChosen}
    />
  );
}
