import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { TrendFilters, Trends } from '@assay/contracts/run-records';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import { areCurrent } from './current-results.ts';
import type { Runs } from './runs.ts';

/** Runs that one request looks at, and that are read together. */
const runsMax = 1000;
const batchMax = 250;

/** The results of a project's runs over time, as they are kept. */
export function createTrends({
  store,
  ask,
  runs,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs }) {
  /** The newest runs that pass, the newest first, and whether there may be older ones. */
  async function pointsOf(identity: Identity, projectId: string, filters: TrendFilters) {
    const { organizationId } = identity;
    const { testsetId, newest } = filters;
    const [from, to] = [filters.from, filters.to].map((time) => time && new Date(time));
    const points: Trends['points'] = [];
    let before: { createdAt: Date; runId: string } | undefined;
    for (let looked = 0; looked < runsMax; ) {
      const kept = await store.runResults.listOfProject(organizationId, {
        projectId,
        testsetId,
        from: from || undefined,
        to: to || undefined,
        before,
        limit: batchMax,
      });
      const keptOf = new Map(kept.map((one) => [one.runId, one]));
      const found = await store.runs.findEach(
        kept.map(({ runId: id }) => ({ organizationId, id })),
        { withExpired: true },
      );
      const passing = found.filter((run) => run !== undefined && passes(run, filters));
      const versionsOf = new Map(passing.map(({ id, metrics }) => [id, metrics.length]));
      // After the results: they are told to be behind rather than not.
      const countsOf = await store.runs.countsOf(organizationId, [...versionsOf.keys()]);
      for (const run of await runs.toReplies(identity, passing)) {
        const { results, ...known } = keptOf.get(run.id)!;
        const isBehind = !areCurrent(known, {
          changes: countsOf.get(run.id)!.changes,
          metricVersions: versionsOf.get(run.id)!,
        });
        points.push({ run, results, ...(isBehind && !run.expiredAt ? { isBehind } : {}) });
      }
      if (points.length > newest) return { points: points.slice(0, newest), isCut: true };
      if (kept.length < batchMax) return { points, isCut: false };
      looked += kept.length;
      before = kept.at(-1);
    }
    return { points, isCut: true };
  }

  return {
    /** @throws NOT_FOUND where there is no such project. */
    async get(identity: Identity, projectId: string, filters: TrendFilters): Promise<Trends> {
      const [{ found }, { points, isCut }] = await Promise.all([
        ask.catalog.project(identity, { projectId }),
        pointsOf(identity, projectId, filters),
      ]);
      if (!found) throw notFound('project', projectId);
      return { points: points.reverse(), isCut };
    },
  };
}

const passes = (
  run: StoredRun,
  { label = [], systemId, systemVersionId }: TrendFilters,
): run is StoredRun =>
  label.every((each) => run.labels.includes(each)) &&
  (systemId === undefined || run.systemId === systemId) &&
  (systemVersionId === undefined || run.systemVersionId === systemVersionId);
