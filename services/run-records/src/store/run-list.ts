import type { Page, PageRequest } from '@assay/contracts/page';
import { instantOf } from '@assay/runtime/ids';
import type { Collection, Document, Filter, Hint } from 'mongodb';

/** A filter that an index of the runs answers. */
export interface IndexedFilter {
  field: 'createdByUserId' | 'labels' | 'source' | 'systemVersionId' | 'testsetId';
  value: string;
}

/** The runs of a project in an order, made from an instant on and before another. */
export interface RunList {
  projectId: string;
  order: RunOrder;
  from?: Date | undefined;
  to?: Date | undefined;
  page: PageRequest;
}

/** The order of a list of runs: those of equal values are in the order of their ids. */
export interface RunOrder {
  sort: 'createdAt' | 'name';
  direction: 'asc' | 'desc';
}

/** The part of a run that says where it stands in a list. */
export interface PlacedRun {
  id: string;
  createdAt: Date | string;
  name?: string | null | undefined;
}

/** A place in a list: an id, and before it the value by which the list is sorted. */
interface Position {
  value: Date | string | null;
  id: string;
}

/** Runs that one scan of an index gives in the order of the list. */
interface Stretch {
  bounds: Document;
  sort: Record<string, 1 | -1>;
}

/** Names are sorted in any case: the index of names has the same collation. */
const nameCollation = { locale: 'en', strength: 2 } as const;
const nameIndex = 'by_name';

/** How many runs that pass a filter are looked at to tell how rare it is. */
const sampleRuns = 100;

/** Lists the runs of projects in orders that indexes have. */
export function createRunList<
  Shape extends Document & { _id: string; createdAt: Date },
  Item extends PlacedRun,
>(
  runs: Collection<Shape>,
  { isThere, toItem }: { isThere: Document; toItem: (document: Shape) => Item },
) {
  return {
    /** The text of the cursor that goes on behind a run. */
    positionOf: sealPosition,

    /** In the order of names, `filter`, `from` and `to` are for the caller to check. */
    async list(
      organizationId: string,
      { filter, ...list }: RunList & { filter: IndexedFilter | undefined },
    ): Promise<Page<Item>> {
      const { projectId, order, page } = list;
      const isByName = order.sort === 'name';
      const found: Shape[] = [];
      for (const { bounds, sort } of isByName ? stretchesByName(list) : stretchesByTime(list)) {
        const condition: Document = {
          organizationId,
          projectId,
          ...(isByName ? {} : conditionOf(filter)),
          ...bounds,
          ...isThere,
        };
        const documents = await runs
          .find(
            condition as Filter<Shape>,
            isByName
              ? { hint: nameIndex, collation: nameCollation }
              : { hint: timeIndexOf(filter) },
          )
          .sort(sort)
          .limit(page.limit + 1 - found.length)
          .toArray();
        found.push(...(documents as unknown as Shape[]));
        if (found.length > page.limit) break;
      }
      const items = found.slice(0, page.limit).map(toItem);
      const hasMore = found.length > page.limit;
      return { items, next: hasMore ? sealPosition(order.sort, items.at(-1)!) : null };
    },

    /**
     * The one of several filters that the fewest runs pass from here on: the one whose next
     * `sampleRuns` runs reach the farthest. Undefined of none, and where names are the order.
     */
    async rarest(
      organizationId: string,
      { filters, ...list }: RunList & { filters: IndexedFilter[] },
    ): Promise<IndexedFilter | undefined> {
      const { projectId, order } = list;
      if (order.sort === 'name') return undefined;
      if (filters.length < 2) return filters[0];
      const { bounds, sort } = stretchesByTime(list).at(-1)!;
      const sign = signOf(order.direction);
      const reaches = await Promise.all(
        filters.map(async (filter) => {
          const condition: Document = {
            organizationId,
            projectId,
            ...conditionOf(filter),
            ...bounds,
          };
          const [farthest] = await runs
            .find(condition as Filter<Shape>, {
              projection: { createdAt: 1 },
              hint: timeIndexOf(filter),
            })
            .sort(sort)
            .skip(sampleRuns - 1)
            .limit(1)
            .toArray();
          return { filter, reach: farthest ? farthest.createdAt.getTime() * sign : Infinity };
        }),
      );
      return reaches.reduce((one, other) => (other.reach > one.reach ? other : one)).filter;
    },
  };
}

const sealPosition = (sort: RunOrder['sort'], { id, createdAt, name }: PlacedRun): string =>
  `${JSON.stringify(sort === 'name' ? (name ?? null) : createdAt)}/${id}`;

/** Cursors of earlier releases are ids alone. */
function openPosition(sort: RunOrder['sort'], text: string): Position {
  const slash = text.lastIndexOf('/');
  const id = text.slice(slash + 1);
  if (slash < 0) return { value: instantOf(id), id };
  const value = JSON.parse(text.slice(0, slash)) as string | null;
  return { value: sort === 'name' ? value : new Date(value!), id };
}

/**
 * Runs of one instant stand in the index in the order of their ids: so the rest of the position's
 * instant is a stretch of its own.
 */
function stretchesByTime({ order: { direction }, from, to, page }: RunList): Stretch[] {
  const sign = signOf(direction);
  const behind = behindOf(direction);
  const sort = { createdAt: sign, _id: sign };
  const range = {
    ...(from === undefined ? {} : { $gte: from }),
    ...(to === undefined ? {} : { $lt: to }),
  };
  if (page.after === undefined) {
    const isBounded = Object.keys(range).length > 0;
    return [{ bounds: isBounded ? { createdAt: range } : {}, sort }];
  }
  const { value, id } = openPosition('createdAt', page.after);
  const beyond = { ...range, [behind]: value };
  return [
    { bounds: { createdAt: value, _id: { [behind]: id } }, sort: { _id: sign } },
    { bounds: { createdAt: beyond }, sort },
  ];
}

/** Runs without a name come last in either direction. */
function stretchesByName({ order: { direction }, page }: RunList): Stretch[] {
  const sign = signOf(direction);
  const behind = behindOf(direction);
  const sort = { name: sign, _id: sign };
  const unnamed: Stretch = { bounds: { name: null }, sort: { _id: sign } };
  if (page.after === undefined) return [{ bounds: { name: { $gte: '' } }, sort }, unnamed];
  const { value, id } = openPosition('name', page.after);
  const rest: Stretch = {
    bounds: { name: value, _id: { [behind]: id } },
    sort: { _id: sign },
  };
  if (value === null) return [rest];
  return [rest, { bounds: { name: { $gte: '', [behind]: value } }, sort }, unnamed];
}

const signOf = (direction: RunOrder['direction']): 1 | -1 => (direction === 'asc' ? 1 : -1);

const behindOf = (direction: RunOrder['direction']) => (direction === 'asc' ? '$gt' : '$lt');

const conditionOf = (filter: IndexedFilter | undefined): Document =>
  filter ? { [filter.field]: filter.value } : {};

const timeIndexOf = (filter: IndexedFilter | undefined): Hint => ({
  organizationId: 1,
  projectId: 1,
  ...(filter ? { [filter.field]: 1 } : {}),
  createdAt: -1,
  _id: -1,
});
