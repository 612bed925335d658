import type { Identity } from '@assay/contracts/define';
import { reviewCountMax } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { ReviewQueue } from './review-queue.ts';

type ReviewedRun = Pick<StoredRun, 'id' | 'metrics'>;

/** How far people are with the scores that they have to give (contract section 4). */
export function createReviewProgress({
  store,
  reviewQueue,
}: Pick<Dependencies, 'store'> & { reviewQueue: ReviewQueue }) {
  /** Summed from the accounts of runs; records are counted only where an account has other scores too. */
  async function countMissing(organizationId: string, runs: ReviewedRun[]): Promise<number> {
    const [summed, mixed] = [runs.filter(isAwaitingPeopleAlone), runs.filter(isAwaitingClients)];
    const counts = await store.runs.countsOf(organizationId, idsOf(summed));
    const sum = [...counts.values()].reduce((sum, { awaited }) => sum + awaited, 0);
    if (mixed.length === 0) return sum;
    const counted = await store.review.countMissing(organizationId, {
      ...reviewedIn(mixed),
      reviewer: undefined,
      recordsMax: reviewCountMax.records,
    });
    return sum + counted;
  }

  return {
    async get(
      identity: Identity,
      filters: { projectId?: string | undefined; runId?: string | undefined },
    ) {
      const { organizationId, userId } = identity;
      const within = await reviewQueue.scopeOf(identity, filters, '?');
      const runs = await store.review.listRuns(organizationId, within, reviewCountMax.runs);
      if (runs.length === 0) return { missing: 0, mine: 0, given: 0, byMember: [] };
      const [missing, mine, byMember] = await Promise.all([
        countMissing(organizationId, runs),
        store.review.countMissing(organizationId, {
          ...reviewedIn(runs),
          reviewer: { userId, seesUnassigned: true },
          recordsMax: reviewCountMax.mine,
        }),
        store.review.countGiven(organizationId, {
          ...reviewedIn(runs),
          recordsMax: reviewCountMax.scored,
        }),
      ]);
      return {
        missing,
        mine,
        given: byMember.reduce((sum, { given }) => sum + given, 0),
        byMember,
      };
    },
  };
}

/** Do clients give scores too, which a run's account does not tell from those of people? */
const isAwaitingClients = ({ metrics }: ReviewedRun): boolean =>
  metrics.some(({ isScoredByService, evalType }) => !isScoredByService && evalType !== 'human');

const isAwaitingPeopleAlone = (run: ReviewedRun): boolean => !isAwaitingClients(run);

const idsOf = (runs: ReviewedRun[]): string[] => runs.map(({ id }) => id);

const reviewedIn = (runs: ReviewedRun[]) => ({
  runIds: idsOf(runs),
  metricVersionIds: [
    ...new Set(
      runs
        .flatMap(({ metrics }) => metrics)
        .filter(({ evalType }) => evalType === 'human')
        .map(({ metricVersionId }) => metricVersionId),
    ),
  ],
});
