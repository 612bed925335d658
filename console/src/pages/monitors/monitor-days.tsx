import { Link } from '@tanstack/react-router';
import { useRunResults } from '../../api/run-results.ts';
import { useRuns } from '../../api/runs.ts';
import { formatCount, formatDollars, visible } from '../../text/format.ts';
import { type MonitorItem, rateText } from './monitor-text.ts';
import styles from './monitors.module.css';

/** Days that are shown. */
const daysShown = 7;

/** The last days of a monitor, with the results and the cost of their runs. */
export function MonitorDays({ monitor }: { monitor: MonitorItem }) {
  const { projectId } = monitor;
  const days = monitor.days.slice(0, daysShown);
  const runs = useRuns(days.flatMap(({ runId }) => runId ?? []));
  const results = useRunResults(runs);
  if (days.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by the keyboard.
    <section className={styles.days} tabIndex={0} aria-label="Last days">
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Recorded</th>
            <th scope="col">Scores</th>
            <th scope="col">Results</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, runId, counts }) => {
            const run = runs.find(({ id }) => id === runId);
            return (
              <tr key={day}>
                <th scope="row">
                  {runId ? (
                    <Link to="/projects/$projectId/runs/$runId" params={{ projectId, runId }}>
                      {day}
                    </Link>
                  ) : (
                    day
                  )}
                </th>
                <td>{formatCount(counts.recorded)}</td>
                <td>{run ? formatCount(run.scoring.scored) : '–'}</td>
                <td>
                  {run &&
                    results.ofRun(run.id).map((result) => (
                      <p key={result.name}>
                        {visible(result.name)}: {rateText(result)}
                      </p>
                    ))}
                </td>
                <td>{run ? formatDollars(run.costUsd) : '–'}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
