import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import { LRUCache } from 'lru-cache';
import type { StoredRun } from '../../store/runs.ts';
import { isNewest } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Giver, ScoredMetric } from './given-scores.ts';

/** Answers of other services that are kept while many scores come, and for how long. */
const knownMax = 10_000;
const knownMs = 1000;

export type ScoredMetrics = ReturnType<typeof createScoredMetrics>;

/** The metric versions that clients give scores of, and the members for whom they do. */
export function createScoredMetrics({ ask }: Pick<Dependencies, 'ask'>) {
  const versions = new LRUCache<string, Promise<ScoredMetric | null>>({
    max: knownMax,
    ttl: knownMs,
  });
  const members = new LRUCache<string, Promise<boolean>>({ max: knownMax, ttl: knownMs });

  /** Asks once for what is asked for at once; forgets what does not exist, and what failed. */
  function once<Value>(
    known: LRUCache<string, Promise<Value>>,
    key: string,
    find: () => Promise<Value>,
  ): Promise<Value> {
    const before = known.get(key);
    if (before) return before;
    const found = find();
    known.set(key, found);
    const forget = () => known.get(key) === found && known.delete(key);
    found.then((value) => !value && forget(), forget);
    return found;
  }

  return {
    /**
     * The metric of a version: the run's own, or any other of the organization.
     * @throws NOT_FOUND where there is none.
     */
    async ofVersion(
      identity: Identity,
      run: StoredRun,
      metricVersionId: string,
    ): Promise<ScoredMetric> {
      const own = run.metrics.find((metric) => metric.metricVersionId === metricVersionId);
      if (own) return own;
      const key = `${identity.organizationId}/${metricVersionId}`;
      const version = await once(
        versions,
        key,
        async () => (await ask.metrics.version(identity, { metricVersionId })).version,
      );
      if (!version) throw notFound('metric version', metricVersionId);
      return version;
    },

    /** The newest version of a metric in the run. */
    newestOf: ({ metrics }: StoredRun, metricId: string): ScoredMetric | undefined =>
      metrics.find((metric) => metric.metricId === metricId && isNewest(metric, metrics)),

    /**
     * For whom a score is recorded: the key's member, or another member who is named; then it keeps
     * who recorded it.
     * @throws VALIDATION_ERROR at `/userId` for somebody else.
     */
    async giverOf(identity: Identity, userId: string | undefined): Promise<Giver> {
      if (userId === undefined || userId === identity.userId) return { userId: identity.userId };
      const isMember = await once(
        members,
        `${identity.organizationId}/${userId}`,
        async () => (await ask.identity.isMember(identity, { userId })).found,
      );
      if (!isMember) throw invalidAt('/userId', 'does not belong to this organization');
      return { userId, recordedByUserId: identity.userId };
    },
  };
}
