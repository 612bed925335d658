import { useEffect, useRef } from 'react';
import { refresh, useReading } from '../../api/query.ts';
import { formatCount } from '../../text/format.ts';
import { givenBy, type ReviewItem, type ReviewScope } from './calls.ts';
import { shownIn } from './queue.ts';
import { medianOf, type ReviewState } from './review.ts';
import styles from './reviewing.module.css';

/** The server's own count is read again after so many saves, and at the end: others save too. */
const countedEvery = 10;

/** How far one is: "31 of 80 yours, 140 left in all, 9 s each". */
export function Progress({
  scope: { projectId, runId, assigneeUserId },
  userId,
  state: { queue, seconds, saving },
}: {
  scope: ReviewScope;
  userId: string;
  state: ReviewState<ReviewItem>;
}) {
  const query = { projectId, ...(runId ? { runId } : {}) };
  const { data } = useReading('/review-queue/progress', { query });
  const saves = seconds.length;
  const savesCounted = useRef(0);
  const isSaving = saving.size > 0;
  const isOver = queue.isExhausted && !shownIn(queue);
  useEffect(() => {
    // A count that is read while a score is on its way may have the score in it, or not.
    if (isSaving || saves === savesCounted.current) return;
    if (!isOver && saves - savesCounted.current < countedEvery) return;
    savesCounted.current = saves;
    void refresh(['/review-queue/progress']);
  }, [saves, isSaving, isOver]);
  const mine = data ? givenBy(data, userId) : 0;
  const yours = data?.mine ?? 0;
  const each = medianOf(seconds);
  return (
    <p className={styles.progress}>
      <progress
        max={Math.max(1, mine + yours)}
        value={mine}
        aria-label="Your scores"
        hidden={assigneeUserId !== undefined}
      />
      {data ? (
        <span>
          {formatCount(mine)}
          {assigneeUserId === undefined && ` of ${formatCount(mine + yours)}`} yours,{' '}
          {formatCount(data.missing)} left in all
          {each !== undefined && `, ${formatSeconds(each)} each`}
        </span>
      ) : (
        <span>… of … yours, … left in all</span>
      )}
      <span role="status" className={styles.saving}>
        {isSaving && 'Saving …'}
      </span>
    </p>
  );
}

/** "9 s", "2 min 5 s". */
export function formatSeconds(seconds: number): string {
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  return minutes > 0 ? `${minutes} min ${whole % 60} s` : `${whole} s`;
}
