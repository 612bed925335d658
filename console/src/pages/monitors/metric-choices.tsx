import { useReading } from '../../api/query.ts';
import { visible } from '../../text/format.ts';
import styles from './monitors.module.css';

/** As many metrics are offered. */
const metricsShown = 100;

/** The metrics of a project, to be chosen: each is a value of `metric` in the form. */
export function MetricChoices({
  projectId,
  chosen = [],
}: {
  projectId: string;
  chosen?: readonly string[];
}) {
  const metrics = useReading('/projects/:projectId/metrics', {
    params: { projectId },
    query: { limit: metricsShown },
  });
  return (
    <fieldset className={styles.metrics}>
      <legend>Metrics</legend>
      {metrics.data?.data.map(({ id, name }) => (
        <label key={id}>
          <input type="checkbox" name="metric" value={id} defaultChecked={chosen.includes(id)} />
          {visible(name)}
        </label>
      ))}
      {metrics.data?.data.length === 0 && <p>The project has no metrics yet.</p>}
    </fieldset>
  );
}
