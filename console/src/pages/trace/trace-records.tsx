import type { ReplyOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { OutcomeMark } from '../../parts/score.tsx';
import { visible } from '../../text/format.ts';
import { shortId } from '../../text/names.ts';
import { valueShown } from '../traces/trace-scores.tsx';
import styles from './trace.module.css';

type LinkedRecord = NonNullable<ReplyOf<'GET', '/traces/:traceId'>['records']>[number];

/**
 * The records that name a trace, each with the outcomes of the metrics of its run; undefined while
 * they cannot be read.
 */
export function TraceRecords({
  projectId,
  records,
}: {
  projectId: string;
  records: LinkedRecord[] | undefined;
}) {
  if (!records)
    return <p className={styles.soft}>The records of this trace cannot be read at the moment.</p>;
  if (records.length === 0) return null;
  return (
    <section aria-label="Records">
      <ul className={styles.records}>
        {records.map((record) => (
          <li key={record.id}>
            <Link
              to="/projects/$projectId/records/$recordId"
              params={{ projectId, recordId: record.id }}
            >
              {record.runName ? visible(record.runName) : `Record ${shortId(record.id)}`}
            </Link>
            {record.outcomes.map(({ metricConfigId, name, outcome, value }) => (
              <span key={metricConfigId}>
                {visible(name)}{' '}
                <OutcomeMark
                  outcome={outcome}
                  value={valueShown(value)}
                  {...missingOf(record, metricConfigId)}
                />
              </span>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why a score is missing, where the service says so. */
function missingOf({ missingScores = [] }: LinkedRecord, metricConfigId: string) {
  const missing = missingScores.find((each) => each.metricConfigId === metricConfigId);
  return missing ? { code: missing.code, message: missing.message } : {};
}
