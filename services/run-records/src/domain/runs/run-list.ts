import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { WantedNames } from '@assay/contracts/names';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Run, RunFilters } from '@assay/contracts/run-records';
import type { IndexedFilter, RunList as StoredRuns } from '../../store/run-list.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import { checkMeans, madeBetween, runsByMean, runsInOrder } from './run-order.ts';
import type { Runs } from './runs.ts';

/** Runs that one request looks at, and that are read together. */
const runsMax = 1000;
const batchMax = 250;

export type RunList = ReturnType<typeof createRunList>;

/** The runs of a project in an order. */
export function createRunList({
  store,
  ask,
  runs,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs }) {
  /**
   * Reads runs in their order and checks the filters that their index has not, among them the status,
   * which is computed. A page ends early after `runsMax` runs, with the cursor that goes on.
   */
  async function pageOf(
    identity: Identity,
    projectId: string,
    { filters, page }: { filters: RunFilters; page: PageRequest },
  ): Promise<Page<Run>> {
    checkMeans(filters);
    const conditions = {
      indexed: indexedFilters(identity, filters),
      made: madeBetween(filters),
      name: filters.name,
    };
    const source =
      filters.sort === 'mean'
        ? runsByMean({ store }, identity, projectId, filters)
        : await runsInOrder({ store }, identity, projectId, { filters, page, ...conditions });
    let { limit, after } = page;
    const passing: { run: Run; position: string }[] = [];
    for (let looked = 0; ; ) {
      const read = await source({ limit, after });
      const stored = read.items.filter(({ run }) => passes(run, conditions));
      const replies = await runs.toReplies(
        identity,
        stored.map(({ run }) => run),
      );
      for (const [place, run] of replies.entries())
        if (filters.status === undefined || run.status === filters.status)
          passing.push({ run, position: stored[place]!.position });
      if (passing.length > page.limit) {
        const items = passing.slice(0, page.limit);
        return { items: items.map(({ run }) => run), next: items.at(-1)!.position };
      }
      looked += read.looked;
      if (passing.length === page.limit || read.next === null || looked >= runsMax)
        return { items: passing.map(({ run }) => run), next: read.next };
      after = read.next;
      limit = Math.min(batchMax, runsMax - looked);
    }
  }

  return {
    names: ({ organizationId }: Identity, wanted: WantedNames) =>
      store.runNames.find(organizationId, wanted),
    /** @throws NOT_FOUND where there is no such project. */
    async list(
      identity: Identity,
      projectId: string,
      request: { filters: RunFilters; page: PageRequest },
    ): Promise<Page<Run>> {
      const [{ found }, page] = await Promise.all([
        ask.catalog.project(identity, { projectId }),
        pageOf(identity, projectId, request),
      ]);
      if (!found) throw notFound('project', projectId);
      return page;
    },
  };
}

function indexedFilters(
  { userId }: Identity,
  { label = [], testsetId, systemVersionId, source, createdBy }: RunFilters,
): IndexedFilter[] {
  const filters: IndexedFilter[] = label.map((value) => ({ field: 'labels', value }));
  const createdByUserId = createdBy === 'me' ? userId : createdBy;
  for (const [field, value] of Object.entries({
    testsetId,
    systemVersionId,
    createdByUserId,
    source,
  }))
    if (value !== undefined) filters.push({ field: field as IndexedFilter['field'], value });
  return filters;
}

interface Conditions {
  indexed: IndexedFilter[];
  made: Pick<StoredRuns, 'from' | 'to'>;
  name: string | undefined;
}

const passes = (run: StoredRun, { indexed, made: { from, to }, name }: Conditions): boolean =>
  (from === undefined || run.createdAt >= from) &&
  (to === undefined || run.createdAt < to) &&
  indexed.every(({ field, value }) =>
    field === 'labels' ? run.labels.includes(value) : run[field] === value,
  ) &&
  (name === undefined || (run.name ?? '').toLowerCase().includes(name.toLowerCase()));
