import { useReading } from '../../api/query.ts';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { formatBytes, formatCount, formatDollars } from '../../text/format.ts';
import styles from './settings.module.css';

/** From this share on a bar is marked. */
const nearlyUsed = 0.9;

/** The usage of the organization, and its limits. */
export function Usage() {
  const { data, error, refetch } = useReading('/organization/usage');
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return null;
  return (
    <section className={styles.usage} aria-labelledby="usage">
      <h2 id="usage">Usage</h2>
      <dl>
        <Share name="Records" {...data.records} write={formatCount} />
        <Share name="Attachments" {...data.attachmentBytes} write={formatBytes} />
        <Share name="Spans of today" {...data.traceBytesPerDay} write={formatBytes} />
        <Share name="Judges today" {...data.judgeUsdPerDay} write={formatDollars} />
        <div>
          <dt>Requests</dt>
          <dd>up to {formatCount(data.requestsPerMinute.limit)} a minute</dd>
        </div>
      </dl>
      <p className={styles.note}>The operator of this installation sets the limits.</p>
    </section>
  );
}

interface ShareProps {
  name: string;
  used: number;
  limit: number | null;
  resetsAt?: string;
  write: (amount: number) => string;
}

/** An amount in words, and as a bar where there is a limit. */
function Share({ name, used, limit, resetsAt, write }: ShareProps) {
  const share = limit === null ? undefined : shareOf(used, limit);
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {limit === null ? `${write(used)}, no limit` : `${write(used)} of ${write(limit)}`}
        {limit !== null && resetsAt && (
          <span className={styles.note}>
            {' '}
            · begins anew <Time at={resetsAt} />
          </span>
        )}
        {share !== undefined && (
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect className={styles.whole} width="100" height="4" />
            <rect
              className={share < nearlyUsed ? styles.used : styles.nearlyUsed}
              width={100 * share}
              height="4"
            />
          </svg>
        )}
      </dd>
    </div>
  );
}

/** A limit of nothing is used up. */
const shareOf = (used: number, limit: number): number =>
  limit === 0 ? 1 : Math.min(1, used / limit);
