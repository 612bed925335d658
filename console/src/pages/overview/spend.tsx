import type { TrendSearch } from '../../parts/trend/trend-search.ts';
import { useTrends } from '../../parts/trend/use-trends.ts';
import { formatDollars } from '../../text/format.ts';
import styles from './spend.module.css';
import { spendByDay } from './spend-by-day.ts';

/** The dollars of judges and of systems, a bar a day. */
export function Spend({ projectId, search }: { projectId: string; search: TrendSearch }) {
  const trends = useTrends(projectId, { days: search.days, from: search.from, to: search.to });
  const days = trends.data ? spendByDay(trends.data) : [];
  const most = Math.max(...days.map(({ judges, systems }) => judges + systems));
  if (days.length === 0 || most === 0) return null;
  const sum = (kind: 'judges' | 'systems') => days.reduce((total, day) => total + day[kind], 0);
  return (
    <section aria-label="Spend" className={styles.spend}>
      <h2>Spend</h2>
      <p>
        Judges {formatDollars(sum('judges'))} <span className={styles.judges} aria-hidden="true" />
        {' · '}systems {formatDollars(sum('systems'))}{' '}
        <span className={styles.systems} aria-hidden="true" />
      </p>
      <table className="for-screen-readers">
        <caption>Spend by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Judges</th>
            <th scope="col">Systems</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, judges, systems }) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              <td>{formatDollars(judges)}</td>
              <td>{formatDollars(systems)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <div className={styles.days} aria-hidden="true">
        {days.map(({ day, judges, systems }) => (
          <div
            key={day}
            className={styles.day}
            title={`${day}: judges ${formatDollars(judges)}, systems ${formatDollars(systems)}`}
          >
            <svg viewBox="0 0 10 100" preserveAspectRatio="none" aria-hidden="true">
              <rect
                className={styles.systems}
                y={100 - (100 * (systems + judges)) / most}
                width="10"
                height={(100 * systems) / most}
              />
              <rect
                className={styles.judges}
                y={100 - (100 * judges) / most}
                width="10"
                height={(100 * judges) / most}
              />
            </svg>
            <span>{day.slice(5)}</span>
          </div>
        ))}
      </div>
    </section>
  );
}
