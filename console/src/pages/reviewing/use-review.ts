import { useEffect, useState, useSyncExternalStore } from 'react';
import { refresh } from '../../api/query.ts';
import { createCalls, type ReviewItem, type ReviewScope } from './calls.ts';
import { createDrafts } from './drafts.ts';
import { createReview, type Review, type ReviewState } from './review.ts';

/** How often it is looked whether a lease must be prolonged, in ms. */
const renewEveryMs = 15_000;

/** A review as long as the page is shown. Leases are prolonged only while somebody may look at it. */
export function useReview(
  scope: ReviewScope,
  userId: string,
): { review: Review<ReviewItem>; state: ReviewState<ReviewItem> } {
  const [review] = useState(() =>
    createReview({
      calls: createCalls(scope, userId),
      drafts: createDrafts(localStorage, { userId }),
    }),
  );
  const state = useSyncExternalStore(review.subscribe, review.state);
  useEffect(() => {
    void review.fill();
    let hiddenAt: number | undefined;
    const onVisibility = () => {
      if (document.hidden) {
        hiddenAt ??= Date.now();
        return;
      }
      if (hiddenAt !== undefined) review.wasAway(Date.now() - hiddenAt);
      hiddenAt = undefined;
      void review.renewDue({ isBack: true });
    };
    const timer = setInterval(() => {
      if (!document.hidden) void review.renewDue();
    }, renewEveryMs);
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', onVisibility);
      void refresh([
        '/review-queue/progress',
        '/runs/:runId',
        '/runs/:runId/records',
        '/runs/:runId/summary',
      ]);
    };
  }, [review]);
  return { review, state };
}
