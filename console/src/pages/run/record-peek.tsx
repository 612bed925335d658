import { getRouteApi, Link } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { PeekPanel } from '../../parts/grid/peek-panel.tsx';
import { Problem } from '../../parts/problem.tsx';
import { OutcomeMark } from '../../parts/score.tsx';
import { visible } from '../../text/format.ts';
import { readable } from '../../text/json.ts';
import { shownScore } from '../../text/scores.ts';
import { Said } from '../record/scores.tsx';
import styles from './run.module.css';
import type { MetricSummary } from './run-summary.ts';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

/** Characters of each payload: the record's own page has all of them. */
const previewCharacters = 2000;

const payloads = [
  ['Inputs', 'inputs'],
  ['Outputs', 'outputs'],
  ['Expected', 'expected'],
] as const;

/** A record beside the list: its payloads as far as a glance goes, and its scores with reasons. */
export function RecordPeek({
  recordId,
  metrics,
  onClose,
}: {
  recordId: string;
  metrics: MetricSummary[];
  onClose: () => void;
}) {
  const { projectId } = route.useParams();
  const { data: record, ...reading } = useReading('/records/:recordId', {
    params: { recordId },
    query: { preview: previewCharacters },
  });
  return (
    <PeekPanel title="Peek" onClose={onClose}>
      {reading.error && <Problem error={reading.error} retry={() => void reading.refetch()} />}
      {!record && !reading.error && <p role="status">Reading …</p>}
      {record && (
        <>
          {metrics.map((metric) => {
            const { score, mark } = shownScore(record, metric);
            return (
              <section key={metric.metricVersionId} className={styles.peekedPart}>
                <h3>
                  {metric.name} <OutcomeMark {...mark} />
                </h3>
                {'message' in mark && mark.message && <p>{visible(mark.message)}</p>}
                {score && <Said score={score} />}
              </section>
            );
          })}
          {payloads.map(([title, field]) => (
            <section key={field} className={styles.peekedPart}>
              <h3>{title}</h3>
              <pre>{visible(readable(record[field]))}</pre>
            </section>
          ))}
          <Link to="/projects/$projectId/records/$recordId" params={{ projectId, recordId }}>
            Open the record
          </Link>
        </>
      )}
    </PeekPanel>
  );
}
