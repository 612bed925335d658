import { serviceIdentity } from '@assay/runtime/signature';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Deletion } from '../runs/deletion.ts';
import type { KeptRuns, Retention } from './kept-runs.ts';

/** Runs that one round looks at. */
const looksMax = 100;
/** Runs that one round makes expired: each is read whole. */
const expiredMax = 5;
/** Batches of records that one round removes. */
const batchesMax = 10;
/** How long after all runs of an organization were looked at they are looked at again. */
const looksEveryMs = 60 * 60_000;

/** How far the looks at the runs of an organization have come. */
interface Looks {
  /** Missing before the first look of a turn. */
  place?: { projects: Retention[]; after: string };
  nextAt: number;
}

/**
 * The expiry of runs, in three steps, each of which any process continues: a run that is due begins
 * to close; five minutes later, longer than any write can last that read it before, it expires
 * unless it was used or something keeps it; then its records go.
 */
export function createExpiry({
  store,
  ask,
  keptRuns,
  deletion,
  settledMs,
  now,
}: Pick<Dependencies, 'store' | 'ask' | 'settledMs' | 'now'> & {
  keptRuns: KeptRuns;
  deletion: Deletion;
}) {
  const looks = new Map<string, Looks>();

  /** Removes some of the records that an expired run still has. */
  async function clearSome(organizationId: string): Promise<boolean> {
    const runId = await store.expiry.findClearing(organizationId);
    if (runId === undefined) return false;
    let batches = 0;
    for await (const _batch of deletion.deleteRecords(organizationId, runId))
      if (++batches === batchesMax) return true;
    await store.expiry.endClearing(organizationId, runId);
    return true;
  }

  /** Keeps the results first: a run that is read as an expired one has them. */
  async function expire(organizationId: string, run: StoredRun): Promise<void> {
    const identity = serviceIdentity(organizationId);
    const results = await ask.results.runResults(identity, { runId: run.id });
    const counts = (await store.runs.countsOf(organizationId, [run.id])).get(run.id)!;
    const expired = { at: now(), counts, results: JSON.stringify(results) };
    await store.runResults.keepOfExpired(organizationId, { ...run, expired });
    await store.expiry.expire(organizationId, run, expired);
  }

  async function expireIfDue(
    organizationId: string,
    run: StoredRun,
    retention: Retention | undefined,
  ): Promise<boolean> {
    if (!retention) return false;
    if ((await keptRuns.judge(organizationId, run, retention)) !== 'goes') return false;
    await expire(organizationId, run);
    return true;
  }

  async function endClosing(organizationId: string): Promise<boolean> {
    const settled = new Date(now().getTime() - settledMs);
    const closing = await store.expiry.listClosing(organizationId, settled, expiredMax);
    if (closing.length === 0) return false;
    const retentions = await keptRuns.retentions(serviceIdentity(organizationId));
    const failures: unknown[] = [];
    for (const run of closing) {
      const retention = retentions.find(({ projectId }) => projectId === run.projectId);
      const isExpired = await expireIfDue(organizationId, run, retention).catch((error) => {
        failures.push(error);
        return false;
      });
      if (!isExpired) await store.runs.reopen(organizationId, run.id);
    }
    // One whose results cannot be had is looked at again later, and does not delay the others.
    if (failures.length > 0) throw failures[0];
    return closing.length === expiredMax;
  }

  async function lookAtSome(organizationId: string): Promise<boolean> {
    const time = now().getTime();
    const known = looks.get(organizationId) ?? { nextAt: 0 };
    if (!known.place && time < known.nextAt && known.nextAt <= time + looksEveryMs) return false;
    const { projects, after } = known.place ?? {
      projects: await keptRuns.retentions(serviceIdentity(organizationId)),
      after: '',
    };
    const [retention, ...others] = projects;
    if (!retention) {
      looks.set(organizationId, { nextAt: time + looksEveryMs });
      return false;
    }
    const some = await store.expiry.listMadeBefore(organizationId, {
      ...retention,
      after,
      limit: looksMax,
    });
    for (const run of some)
      if (!run.closingAt && (await keptRuns.judge(organizationId, run, retention)) === 'goes')
        await store.expiry.close(organizationId, run.id, now());
    const place =
      some.length === looksMax
        ? { projects, after: some.at(-1)!.id }
        : { projects: others, after: '' };
    looks.set(organizationId, { place, nextAt: 0 });
    return true;
  }

  return {
    /** Does some of the work for an organization, and says whether there may be more. */
    async work(organizationId: string): Promise<boolean> {
      const isMoreToClear = await clearSome(organizationId);
      const isMoreToExpire = await endClosing(organizationId);
      const isMoreToLookAt = await lookAtSome(organizationId);
      return isMoreToClear || isMoreToExpire || isMoreToLookAt;
    },
    organizations: store.expiry.organizations,
  };
}
