import { isNumeric } from '@assay/contracts/scale';
import { Link } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { type MetricResult, useRunResults } from '../../api/run-results.ts';
import { ScrolledTable } from '../../parts/scrolled-table.tsx';
import { formatMean, formatShare, visible } from '../../text/format.ts';
import styles from './overview.module.css';

/** The last days that are shown, and the newest monitors. */
const daysMax = 7;
const monitorsMax = 20;

/** The pass rates of production by day: a row for each metric of a monitor. Nothing without monitors. */
export function MonitoredDays({ projectId }: { projectId: string }) {
  const reading = useReading('/projects/:projectId/monitors', {
    params: { projectId },
    query: { limit: monitorsMax },
  });
  const monitors = (reading.data?.data ?? []).filter((monitor) => monitor.days.length > 0);
  const days = [...new Set(monitors.flatMap((monitor) => monitor.days.map(({ day }) => day)))]
    .sort()
    .slice(-daysMax);
  const runIdOf = (monitor: (typeof monitors)[number], day: string) =>
    monitor.days.find((one) => one.day === day)?.runId ?? undefined;
  const runIds = monitors.flatMap((monitor) => days.flatMap((day) => runIdOf(monitor, day) ?? []));
  const results = useRunResults(runIds.map((id) => ({ id, status: 'completed' as const })));
  if (runIds.length === 0 || !results.areRead) return null;
  const metricsOf = (monitor: (typeof monitors)[number]) =>
    results.metrics.filter(({ metricId }) => monitor.metricIds.includes(metricId));
  return (
    <section aria-label="Production by day" className={styles.runs}>
      <h2>Production by day</h2>
      <ScrolledTable label="Pass rates of monitors by day">
        <thead>
          <tr>
            <th scope="col">Monitor</th>
            <th scope="col">Metric</th>
            {days.map((day) => (
              <th key={day} scope="col">
                {day}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {monitors.flatMap((monitor) =>
            metricsOf(monitor).map(({ metricId, name }) => (
              <tr key={`${monitor.id} ${metricId}`}>
                <th scope="row">
                  <Link to="/projects/$projectId/monitors" params={{ projectId }}>
                    {visible(monitor.description)}
                  </Link>
                </th>
                <td>{visible(name)}</td>
                {days.map((day) => {
                  const runId = runIdOf(monitor, day);
                  const result = runId && results.resultOf(runId, metricId);
                  return (
                    <td key={day}>
                      {runId && result ? (
                        <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
                          {rateOf(result)}
                        </Link>
                      ) : (
                        '–'
                      )}
                    </td>
                  );
                })}
              </tr>
            )),
          )}
        </tbody>
      </ScrolledTable>
    </section>
  );
}

/** The share that passes; the mean of a metric that has no passing threshold. */
function rateOf({ passRate, mean, outputType }: MetricResult): string {
  if (passRate !== null) return formatShare(passRate);
  if (mean === null) return '–';
  return isNumeric(outputType) ? formatMean(mean) : formatShare(mean);
}
