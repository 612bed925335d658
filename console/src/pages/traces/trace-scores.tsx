import { OutcomeMark } from '../../parts/score.tsx';
import { visible } from '../../text/format.ts';
import styles from './traces.module.css';
import type { TraceItem } from './use-new-traces.ts';

/** Metrics whose outcomes have room in a cell. */
const shownMax = 3;

type MetricOutcome = NonNullable<TraceItem['records']>[number]['outcomes'][number];

/** A pass or a fail is told by its word, and a number as it is. */
export const valueShown = (value: number | boolean | null): number | null =>
  typeof value === 'number' ? value : null;

/** The outcome of each metric in the newest record that names the trace. */
export function TraceScores({ trace: { records = [] } }: { trace: TraceItem }) {
  const outcomes = new Map<string, MetricOutcome>();
  for (const each of records.flatMap(({ outcomes }) => outcomes))
    if (!outcomes.has(each.metricId)) outcomes.set(each.metricId, each);
  const all = [...outcomes.values()];
  if (all.length === 0) return '–';
  return (
    <span className={styles.scores}>
      {all.slice(0, shownMax).map(({ metricId, name, outcome, value }) => (
        <span key={metricId} title={visible(name)}>
          <span className="for-screen-readers">{visible(name)}: </span>
          <OutcomeMark outcome={outcome} value={valueShown(value)} />
        </span>
      ))}
      {all.length > shownMax && (
        <span title={all.map(({ name }) => visible(name)).join(', ')}>
          +{all.length - shownMax}
        </span>
      )}
    </span>
  );
}
