import { serviceIdentity } from '@assay/runtime/signature';
import { LRUCache } from 'lru-cache';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';

/** A run that never is quiet is read this often. */
const longestMs = 5 * 60_000;
/** A run whose results could not be had is tried again after so long. */
const retriedMs = 60_000;
/**
 * Reading takes at most this part of the time: a large run that changes all the time is read seldom.
 * A larger part where no score is missing, since people look at it then.
 */
const restPerRead = { underWay: 20, whole: 4 };
const runsAtOnceMax = 5;

/** Keeps the results of each run after its changes, so that lists, sorts and trends read no records. */
export function createResultsKeeping({
  store,
  ask,
  resultsQuietMs,
  now,
}: Pick<Dependencies, 'store' | 'resultsQuietMs' | 'now'> & {
  ask: Pick<Dependencies['ask'], 'results'>;
}) {
  const lastReads = new LRUCache<string, { endedAtMs: number; tookMs: number }>({ max: 10_000 });

  const ago = (ms: number): Date => new Date(now().getTime() - ms);

  /** Whatever changes while the run is read stays unread. */
  async function read(organizationId: string, run: StoredRun): Promise<void> {
    const startedAt = now();
    await store.runs.beginReading(organizationId, run.id, startedAt);
    const shares = await store.runs.sharesOf(organizationId, run.id);
    const results = await ask.results.runResults(serviceIdentity(organizationId), {
      runId: run.id,
    });
    await store.runResults.keep(organizationId, run, {
      changes: shares.reduce((sum, { changes }) => sum + changes, 0),
      metricVersions: run.metrics.length,
      results,
    });
    await store.runs.endReading(organizationId, shares);
    const endedAtMs = now().getTime();
    lastReads.set(run.id, { endedAtMs, tookMs: endedAtMs - startedAt.getTime() });
  }

  /** Those of unread runs that have rested since they were read last. */
  async function rested(organizationId: string, runIds: string[]): Promise<string[]> {
    const resting = runIds.filter((id) => lastReads.has(id));
    const counts = await store.runs.countsOf(organizationId, resting);
    return runIds.filter((id) => {
      const last = lastReads.get(id);
      if (!last) return true;
      const { pending, awaited } = counts.get(id)!;
      const rest = pending + awaited > 0 ? restPerRead.underWay : restPerRead.whole;
      return last.endedAtMs + rest * last.tookMs <= now().getTime();
    });
  }

  const putOff = (organizationId: string, runId: string): Promise<void> =>
    store.runs.beginReading(organizationId, runId, new Date(now().getTime() + retriedMs));

  return {
    organizations: () => store.runs.organizationsUnread(ago(resultsQuietMs)),

    /** Reads some runs of an organization, and says whether there may be more. */
    async work(organizationId: string): Promise<boolean> {
      const unread = await store.runs.listUnread(organizationId, {
        quietSince: ago(resultsQuietMs),
        before: ago(longestMs),
        limit: 100,
      });
      const due = await rested(organizationId, unread);
      const failures: unknown[] = [];
      for (const runId of due.slice(0, runsAtOnceMax)) {
        // A run that arrives, or goes, is not there.
        const run = await store.runs.find(organizationId, runId);
        if (!run) await putOff(organizationId, runId);
        else
          await read(organizationId, run).catch(async (error) => {
            failures.push(error);
            await putOff(organizationId, runId);
          });
      }
      if (failures.length > 0) throw failures[0];
      return due.length > runsAtOnceMax;
    },
  };
}
