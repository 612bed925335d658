import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Run, RunFilters } from '@assay/contracts/run-records';
import type { IndexedFilter, StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from './runs.ts';

/** Runs that one request looks at, and that are read together. */
const runsMax = 1000;
const batchMax = 250;

export type RunList = ReturnType<typeof createRunList>;

/** The runs of a project, newest first. */
export function createRunList({
  store,
  ask,
  runs,
}: Pick<Dependencies, 'store' | 'ask'> & { runs: Runs }) {
  /**
   * Reads the runs by the index of the rarest filter and checks the others, among them the status,
   * which is computed. A page ends early after `runsMax` runs, with the cursor that goes on.
   */
  async function pageOf(
    identity: Identity,
    projectId: string,
    { filters, page }: { filters: RunFilters; page: PageRequest },
  ): Promise<Page<Run>> {
    const { organizationId } = identity;
    const indexed = indexedFilters(identity, filters);
    let { limit, after } = page;
    const filter = await store.runs.rarest(organizationId, { projectId, filters: indexed, after });
    const passing: Run[] = [];
    for (let looked = 0; ; ) {
      const read = await store.runs.list(organizationId, {
        projectId,
        filter,
        page: { limit, after },
      });
      const stored = read.items.filter((run) => passes(run, indexed, filters));
      for (const run of await runs.toReplies(identity, stored))
        if (filters.status === undefined || run.status === filters.status) passing.push(run);
      if (passing.length > page.limit) {
        const items = passing.slice(0, page.limit);
        return { items, next: items.at(-1)!.id };
      }
      looked += read.items.length;
      if (passing.length === page.limit || read.next === null || looked === runsMax)
        return { items: passing, next: read.next };
      after = read.next;
      limit = Math.min(batchMax, runsMax - looked);
    }
  }

  return {
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

const passes = (run: StoredRun, indexed: IndexedFilter[], { name }: RunFilters): boolean =>
  indexed.every(({ field, value }) =>
    field === 'labels' ? run.labels.includes(value) : run[field] === value,
  ) &&
  (name === undefined || (run.name ?? '').toLowerCase().includes(name.toLowerCase()));
