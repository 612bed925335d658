import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { PageRequest } from '@assay/contracts/page';
import type { RunFilters } from '@assay/contracts/run-records';
import type { IndexedFilter, RunOrder } from '../../store/run-list.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';

/** Runs in their order, each with the cursor that goes on behind it. */
interface RunsRead {
  items: { run: StoredRun; position: string }[];
  /** Runs that were looked at, with those that are gone. */
  looked: number;
  next: string | null;
}

type RunSource = (page: PageRequest) => Promise<RunsRead>;

/** @throws VALIDATION_ERROR where a mean is asked for, and of no metric. */
export function checkMeans({ metricId, min, max, sort }: RunFilters): void {
  if (metricId === undefined && (sort === 'mean' || min !== undefined || max !== undefined))
    throw invalidAt('?metricId', 'is required with `sort=mean`, `min` and `max`');
  if (min !== undefined && max !== undefined && min > max)
    throw invalidAt('?min', 'must not be greater than `max`');
}

/** By the mean of a metric: runs that have none are not there. */
export function runsByMean(
  { store }: Pick<Dependencies, 'store'>,
  { organizationId }: Identity,
  projectId: string,
  filters: RunFilters,
): RunSource {
  const { metricId = '', min, max, order: direction = 'desc' } = filters;
  return async (page) => {
    const means = await store.runMeans.list(organizationId, {
      projectId,
      metricId,
      min,
      max,
      ...madeBetween(filters),
      direction,
      page: { limit: page.limit + 1, after: page.after },
    });
    const shown = means.slice(0, page.limit);
    const found = await store.runs.findEach(
      shown.map(({ runId: id }) => ({ organizationId, id })),
      { withExpired: true },
    );
    const last = shown.at(-1);
    return {
      items: found.flatMap((run, place) =>
        run ? [{ run, position: store.runMeans.positionOf(shown[place]!) }] : [],
      ),
      looked: shown.length,
      next: means.length > page.limit && last ? store.runMeans.positionOf(last) : null,
    };
  };
}

/**
 * By time or name, by the index of the rarest filter. Of those that have a mean between the bounds,
 * where a metric is named.
 */
export async function runsInOrder(
  { store }: Pick<Dependencies, 'store'>,
  { organizationId }: Identity,
  projectId: string,
  { filters, indexed, page }: { filters: RunFilters; indexed: IndexedFilter[]; page: PageRequest },
): Promise<RunSource> {
  const order = orderOf(filters);
  const list = { projectId, order, ...madeBetween(filters) };
  const filter = await store.runs.rarest(organizationId, { ...list, filters: indexed, page });
  const { metricId, min = -Infinity, max = Infinity } = filters;
  return async (page) => {
    const { items, next } = await store.runs.list(organizationId, { ...list, filter, page });
    const means =
      metricId === undefined
        ? undefined
        : await store.runMeans.find(organizationId, {
            runIds: items.map(({ id }) => id),
            metricId,
          });
    const hasMean = ({ id }: StoredRun): boolean => {
      const mean = means?.get(id);
      return mean !== undefined && mean >= min && mean <= max;
    };
    return {
      items: items
        .filter((run) => !means || hasMean(run))
        .map((run) => ({ run, position: store.runs.positionOf(order.sort, run) })),
      looked: items.length,
      next,
    };
  };
}

/** By time the newest come first, by name the first of the alphabet. */
function orderOf({ sort, order }: RunFilters): RunOrder {
  const by = sort === 'name' ? 'name' : 'createdAt';
  return { sort: by, direction: order ?? (by === 'createdAt' ? 'desc' : 'asc') };
}

export const madeBetween = ({ from, to }: RunFilters) => ({
  ...(from === undefined ? {} : { from: new Date(from) }),
  ...(to === undefined ? {} : { to: new Date(to) }),
});
