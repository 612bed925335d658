import type { ReactNode } from 'react';
import { useReading } from '../../api/query.ts';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { formatBytes, formatCount, formatDollars, formatShare } from '../../text/format.ts';
import styles from './usage.module.css';

/** From this share on a bar is marked. */
const nearlyUsed = 0.9;

/** What the organization has used of each of its limits. */
export function Usage() {
  const { data, error, refetch } = useReading('/organization/usage');
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return <p role="status">Reading what is used …</p>;
  return (
    <section className={styles.usage} aria-label="Usage">
      <p>
        The operator of this installation sets the limits, for all organizations or for yours alone:
        ask them for another one (<code>npm run admin -- limits</code>). Neither members nor admins
        can change a limit.
      </p>
      <dl className={styles.limits}>
        <Limit name="Records" {...data.records} write={formatCount}>
          The answers of your systems that are stored, in all runs. What is over the limit is
          refused until runs are deleted, or expire by <em>Retention</em> of a project.
        </Limit>
        <Limit name="Attachments" {...data.attachmentBytes} write={formatBytes}>
          Files of sessions. What is over the limit is refused; a file that is deleted makes room.
        </Limit>
        <Limit name="Spans of today" {...data.traceBytesPerDay} write={formatBytes}>
          Bytes of traces that came since midnight UTC. Over the limit, exporters are told to wait
          for the next day, and drop what they cannot keep.
        </Limit>
        <Limit name="Judges today" {...data.judgeUsdPerDay} write={formatDollars}>
          Calls of judges since midnight UTC, previews included. Over the limit, scores are not
          made; score them again on the next day.
        </Limit>
        <div>
          <dt>Requests</dt>
          <dd>
            <p>up to {formatCount(data.requestsPerMinute.limit)} a minute</p>
            <p className={styles.note}>
              Of all keys and browsers together. A request that is over it is told to come again in
              the next minute. Each reply says how many are left.
            </p>
          </dd>
        </div>
      </dl>
    </section>
  );
}

/** An amount in words, as a bar where there is a limit, and the limit in a sentence. */
function Limit({
  name,
  used,
  limit,
  resetsAt,
  write,
  children,
}: {
  name: string;
  used: number;
  limit: number | null;
  resetsAt?: string;
  write: (amount: number) => string;
  children: ReactNode;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        <p>
          {limit === null ? `${write(used)}, no limit` : <Share {...{ used, limit, write }} />}
          {resetsAt && (
            <span className={styles.note}>
              {' '}
              · begins anew <Time at={resetsAt} />
            </span>
          )}
        </p>
        {limit !== null && <Bar share={shareOf(used, limit)} />}
        <p className={styles.note}>{children}</p>
      </dd>
    </div>
  );
}

const Share = ({
  used,
  limit,
  write,
}: {
  used: number;
  limit: number;
  write: (amount: number) => string;
}) => (
  <>
    <span>
      {write(used)} of {write(limit)}
    </span>{' '}
    <span className={styles.note}>({formatShare(shareOf(used, limit))})</span>
  </>
);

const Bar = ({ share }: { share: number }) => (
  <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
    <rect className={styles.whole} width="100" height="6" />
    <rect
      className={share < nearlyUsed ? styles.used : styles.nearlyUsed}
      width={100 * share}
      height="6"
    />
  </svg>
);

/** A limit of nothing is used up. */
const shareOf = (used: number, limit: number): number =>
  limit === 0 ? 1 : Math.min(1, used / limit);
