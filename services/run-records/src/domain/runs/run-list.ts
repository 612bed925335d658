import type { Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Run, RunFilters } from '@assay/contracts/run-records';
import type { IndexedFilter, RunOrder, RunList as StoredRuns } from '../../store/run-list.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
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
    const order = orderOf(filters);
    const made = madeIn(filters);
    const list = { projectId, order, ...made };
    const filter = await store.runs.rarest(organizationId, { ...list, filters: indexed, page });
    const passing: Run[] = [];
    for (let looked = 0; ; ) {
      const read = await store.runs.list(organizationId, {
        ...list,
        filter,
        page: { limit, after },
      });
      const stored = read.items.filter((run) => passes(run, { indexed, made, name: filters.name }));
      for (const run of await runs.toReplies(identity, stored))
        if (filters.status === undefined || run.status === filters.status) passing.push(run);
      if (passing.length > page.limit) {
        const items = passing.slice(0, page.limit);
        return { items, next: store.runs.positionOf(order.sort, items.at(-1)!) };
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

/** By time the newest come first, by name the first of the alphabet. */
const orderOf = ({ sort = 'createdAt', order }: RunFilters): RunOrder => ({
  sort,
  direction: order ?? (sort === 'createdAt' ? 'desc' : 'asc'),
});

const madeIn = ({ from, to }: RunFilters) => ({
  ...(from === undefined ? {} : { from: new Date(from) }),
  ...(to === undefined ? {} : { to: new Date(to) }),
});

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
