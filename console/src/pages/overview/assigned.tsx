import type { ItemOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { visible } from '../../text/format.ts';
import { inShort } from '../../text/json.ts';
import styles from './overview.module.css';

/** As many missing scores as are read, and as many records as are shown. */
const readMax = 50;
const shownMax = 5;
/** Characters of the question of a record. */
const previewCharacters = 120;

type Item = ItemOf<'/review-queue'>;

/** The records that are assigned to the person who looks, and still miss this person's scores. */
export function Assigned({ projectId }: { projectId: string }) {
  const me = useMe().data?.member.userId;
  const queue = useReading('/review-queue', {
    query: {
      projectId,
      assigneeUserId: me ?? '',
      limit: readMax,
      preview: previewCharacters,
    },
    isEnabled: me !== undefined,
  });
  const records = byRecord(queue.data?.data ?? []);
  if (records.length === 0) return null;
  return (
    <section aria-label="Assigned" className={styles.mentions}>
      <h2>Assigned to you</h2>
      <ul>
        {records.slice(0, shownMax).map(({ record, metrics }) => (
          <li key={record.id}>
            <p className={styles.mention}>
              <Link
                to="/projects/$projectId/records/$recordId"
                params={{ projectId, recordId: record.id }}
              >
                {inShort(record.inputs)}
              </Link>
            </p>
            <p className={styles.soft}>
              {metrics.map(visible).join(', ')} ·{' '}
              <Link
                to="/projects/$projectId/runs/$runId"
                params={{ projectId, runId: record.runId }}
                search={{ assignee: 'me' }}
              >
                all of the run
              </Link>
            </p>
          </li>
        ))}
      </ul>
      {(records.length > shownMax || queue.data?.hasMore) && (
        <p className={styles.soft}>
          These are the oldest {shownMax}.{' '}
          <Link to="/projects/$projectId/review/go" params={{ projectId }}>
            Review them
          </Link>
        </p>
      )}
    </section>
  );
}

/** Each record with the metrics whose scores it misses, in the order of the review. */
function byRecord(items: Item[]): { record: Item['record']; metrics: string[] }[] {
  return [...Map.groupBy(items, ({ record }) => record.id).values()].map((missing) => ({
    record: missing[0]!.record,
    metrics: missing.map(({ metric }) => metric.name),
  }));
}
