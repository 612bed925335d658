import { useMembers } from '../../api/members.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { memberNames } from '../../text/names.ts';
import type { ReviewItem } from './calls.ts';
import type { Review, ReviewState } from './review.ts';
import styles from './reviewing.module.css';

/** Faults that need the reviewer: a record that somebody took, scores that were not saved. */
export function Notices({
  review,
  state: { lost, failures, queue },
  shown,
}: {
  review: Review<ReviewItem>;
  state: ReviewState<ReviewItem>;
  shown: ReviewItem | undefined;
}) {
  const lostTo = shown && lost.get(shown.id);
  const own = shown && failures.get(shown.id);
  const waiting = queue.items.filter(({ id }) => id !== shown?.id && failures.has(id));
  return (
    <>
      {lostTo && <Lost to={lostTo} goOn={() => review.step(1)} />}
      {own && (
        <div>
          <p className={styles.notice}>
            {own.action === 'save'
              ? 'Your scores of this record could not be saved. Here they are again.'
              : 'Your scores of this record could not be taken back: they stand as they were.'}
          </p>
          <Problem error={own.error} />
        </div>
      )}
      {waiting.length > 0 && (
        <p className={styles.notice} role="alert">
          ! {waiting.length === 1 ? 'A record' : `${waiting.length} records`} could not be saved:{' '}
          {failures.get(waiting[0]!.id)!.error.message} It comes back as the next one, with what you
          gave.
        </p>
      )}
    </>
  );
}

function Lost({ to, goOn }: { to: string[]; goOn: () => void }) {
  const members = useMembers();
  const nameOf = memberNames(members.data?.data);
  return (
    <div className={styles.notice} role="alert">
      <p>
        <strong>
          {to.length > 0
            ? `${to.map(nameOf).join(', ')} took this one.`
            : 'Nothing of this record is left for you to score.'}
        </strong>{' '}
        Your draft is kept in this browser.
      </p>
      <Button onClick={goOn}>Continue</Button>
    </div>
  );
}
