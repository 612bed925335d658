import type { Page, PageRequest } from '@assay/contracts/page';
import { pageBytesMax, takeWithin } from '@assay/runtime/mongo/within-bytes';
import type { Collection, Document, Filter } from 'mongodb';
import type { RecordOutcome } from '../domain/accounts/outcomes.ts';
import type { Condition } from './condition.ts';
import { createReaches, type Direction, idsBetween, type Reaches } from './reach.ts';
import { type RecordDocument, recordBytes, type StoredRecord } from './record.ts';
import {
  boundsOf,
  commonRange,
  conditionsOf,
  outcomeBounds,
  outcomeIndex,
  outcomesWithoutValueOf,
  type RecordFilters,
  type ValueRange,
} from './record-conditions.ts';

/** A list of a run's records, in the order of their ids or of a metric version's values. */
export interface RecordList {
  runId: string;
  filters: RecordFilters;
  direction: Direction;
  sort: ValueOrder | undefined;
  page: PageRequest;
}

/** A page of records, which may be cut after any of them. */
export interface RecordPage extends Page<StoredRecord> {
  /** The `next` of the page that ends with the item at this index. */
  nextAfter: (index: number) => string;
}

/** The order of the values of a metric version; `values` are all that it may have. */
export interface ValueOrder {
  metricVersionId: string;
  values: ValueRange;
}

/** A place in a list: an id, and the value before it where the list is in the order of values. */
interface Position {
  value?: boolean | number | undefined;
  id: string;
}

/**
 * Records that one index gives in the order of the list. Several of them follow each other where
 * no single scan of an index is the list.
 */
interface Stretch {
  bounds: Filter<RecordDocument>;
  hint: Document;
  sort: Record<string, 1 | -1>;
  /** Reads the position of a record of this stretch. */
  positionOf: (document: Pick<RecordDocument, '_id' | 'outcomes'>) => Position;
  /** The same as far as a position, and with it. */
  upTo: (end: Position) => Stretch[];
}

/** What a list is read from, and the filters that are left to be looked at in each record. */
interface Plan {
  stretches: Stretch[];
  remaining: Filter<RecordDocument>[];
}

/**
 * Records that a page looks at in a stretch, where filters are left that no index answers: so a
 * page costs the same however rare a match is.
 */
const lookedAtMax = 2000;

/** The index of a run's records. */
export const inOrder = { organizationId: 1, runId: 1, _id: 1 } as const;

/** Lists the records of runs by filters, and in orders, that indexes answer as far as they can. */
export function createRecordList({
  records,
  toRecord,
}: {
  records: Collection<RecordDocument>;
  toRecord: (document: RecordDocument) => StoredRecord;
}) {
  /** The position up to which a page looks at the records of a stretch; undefined for its end. */
  async function endOf(
    organizationId: string,
    { bounds, hint, sort, positionOf }: Stretch,
  ): Promise<Position | undefined> {
    const [last] = await records
      .find(
        { organizationId, ...bounds },
        {
          projection: '_id' in sort ? { _id: 1 } : { outcomes: 1 },
        },
      )
      .hint(hint)
      .sort(sort)
      .skip(lookedAtMax - 1)
      .limit(1)
      .toArray();
    return last && positionOf(last);
  }

  return {
    /**
     * A page may have fewer items than its limit, and others behind it: of large records, and where
     * filters are looked at in each record.
     */
    async list(
      organizationId: string,
      { runId, filters, direction, sort, page }: RecordList,
    ): Promise<RecordPage> {
      const after = page.after === undefined ? undefined : openPosition(page.after);
      const reaches = createReaches(records, {
        organizationId,
        runId,
        after: sort ? undefined : after?.id,
        direction,
      });
      const { stretches, remaining } = sort
        ? await planByValue(filters, { runId, sort, direction, after, reaches })
        : await planById(filters, { runId, direction, after, reaches });

      const found: RecordDocument[] = [];
      const positions: Position[] = [];
      const pageUpTo = (next: Position | undefined): RecordPage => ({
        items: found.map(toRecord),
        next: next ? sealPosition(next) : null,
        nextAfter: (index) => sealPosition(positions[index]!),
      });
      let bytes = 0;
      const readAll = async ({ bounds, hint, sort, positionOf }: Stretch): Promise<boolean> => {
        const limit = page.limit - found.length;
        const cursor = records
          .find(
            { organizationId, ...bounds, ...(remaining.length > 0 ? { $and: remaining } : {}) },
            { projection: withoutJudgements },
          )
          .hint(hint)
          .sort(sort)
          .limit(limit + 1);
        const { documents, hasMore } = await takeWithin(cursor, {
          itemsMax: limit,
          bytesMax: pageBytesMax - bytes,
          bytesOf: recordBytes,
        });
        bytes += documents.reduce((sum, document) => sum + recordBytes(document), 0);
        found.push(...documents);
        positions.push(...documents.map(positionOf));
        return !hasMore;
      };

      for (const stretch of stretches) {
        const end = remaining.length > 0 ? await endOf(organizationId, stretch) : undefined;
        for (const part of end ? stretch.upTo(end) : [stretch])
          if (!(await readAll(part))) return pageUpTo(positions.at(-1));
        if (end) return pageUpTo(end);
      }
      return pageUpTo(undefined);
    },
  };
}

/** Reads judgements nowhere in a list. */
export const withoutJudgements = { judged: 0 } as const;

/** In the order of ids, from the index that has the fewest records to look at. */
async function planById(
  filters: RecordFilters,
  {
    runId,
    direction,
    after,
    reaches,
  }: { runId: string; direction: Direction; after: Position | undefined; reaches: Reaches },
): Promise<Plan> {
  const conditions = await conditionsOf(filters, reaches);
  const leading = await rarestOf(conditions, reaches);
  const { filter: bounds, index: hint, isWhole } = leading?.lead ?? wholeRun;
  const others = conditions.filter((condition) => condition !== leading || !isWhole);
  return {
    stretches: [byId({ runId, bounds, hint, direction, after: after?.id })],
    remaining: others.map(({ filter }) => filter),
  };
}

const wholeRun = { filter: {}, index: inOrder, isWhole: true };

async function rarestOf(
  conditions: Condition[],
  { reachOf, farthestFirst }: Reaches,
): Promise<Condition | undefined> {
  const leading = conditions.filter(({ lead }) => lead !== undefined);
  if (leading.length < 2) return leading[0];
  const sampled = await Promise.all(
    leading.map(async (condition) => {
      const { filter, index } = condition.lead!;
      return { condition, reach: await reachOf(filter, index) };
    }),
  );
  return sampled.sort((one, other) => farthestFirst(one.reach, other.reach))[0]!.condition;
}

function byId({
  runId,
  bounds,
  hint,
  direction,
  after,
  upTo,
}: {
  runId: string;
  bounds: Filter<RecordDocument>;
  hint: Document;
  direction: Direction;
  after?: string | undefined;
  upTo?: string | undefined;
}): Stretch {
  return {
    bounds: { runId, ...bounds, ...idsBetween({ direction, after, upTo }) },
    hint,
    sort: { _id: signOf(direction) },
    positionOf: ({ _id: id }) => ({ id }),
    upTo: ({ id }) => [byId({ runId, bounds, hint, direction, after, upTo: id })],
  };
}

/** In the order of values, and then in that of ids the records that have none. */
async function planByValue(
  filters: RecordFilters,
  {
    runId,
    sort: { metricVersionId, values },
    direction,
    after,
    reaches,
  }: {
    runId: string;
    sort: ValueOrder;
    direction: Direction;
    after: Position | undefined;
    reaches: Reaches;
  },
): Promise<Plan> {
  const narrowing = filters.outcomes.filter((filter) => filter.metricVersionId === metricVersionId);
  const others = filters.outcomes.filter((filter) => !narrowing.includes(filter));
  const remaining = await conditionsOf({ ...filters, outcomes: others }, reaches);

  const range = commonRange([values, ...narrowing.map((filter) => filter.values)]);
  const stretches: Stretch[] = [];
  if (range && (after === undefined || after.value !== undefined))
    stretches.push(...byValue({ runId, metricVersionId, range, direction, after }));
  const outcomes = outcomesWithoutValueOf(narrowing);
  if (outcomes.length > 0)
    stretches.push(
      byId({
        runId,
        bounds: outcomeBounds(metricVersionId, { $in: outcomes }),
        hint: outcomeIndex,
        direction,
        after: after?.value === undefined ? after?.id : undefined,
      }),
    );
  return { stretches, remaining: remaining.map(({ filter }) => filter) };
}

/**
 * The records with a value in a range, behind a position. Records of one value stand in the index
 * in the order of their ids: so the rest of the position's value is a stretch of its own.
 */
function byValue({
  runId,
  metricVersionId,
  range,
  direction,
  after,
}: {
  runId: string;
  metricVersionId: string;
  range: ValueRange;
  direction: Direction;
  after: Position | undefined;
}): Stretch[] {
  const [behind, before] = direction === 'asc' ? ['$gt', '$lt'] : ['$lt', '$gt'];
  const ofValue = (value: boolean | number, ids: { after?: string; upTo?: string }): Stretch => ({
    ...byId({
      runId,
      bounds: outcomeBounds(metricVersionId, value),
      hint: outcomeIndex,
      direction,
      ...ids,
    }),
    positionOf: ({ _id: id }) => ({ value, id }),
    upTo: ({ id }) => [ofValue(value, { ...ids, upTo: id })],
  });
  const between = (from: Position | undefined, end: Position | undefined): Stretch => ({
    bounds: {
      // A range of one run: the database reads an index by the direction of a sort only where it
      // sorts by a field that is neither fixed nor in an array. So it reads the values in order.
      runId: { $gte: runId, $lt: `${runId}\0` },
      ...outcomeBounds(metricVersionId, {
        ...boundsOf(range),
        ...(from ? { [behind!]: from.value } : {}),
        ...(end ? { [before!]: end.value } : {}),
      }),
    },
    hint: outcomeIndex,
    sort: { runId: signOf(direction) },
    positionOf: ({ _id: id, outcomes = [] }) => ({ value: valueIn(outcomes, metricVersionId), id }),
    upTo: (end) => [between(from, end), ofValue(end.value!, { upTo: end.id })],
  });
  return [
    ...(after ? [ofValue(after.value!, { after: after.id })] : []),
    between(after, undefined),
  ];
}

const valueIn = (outcomes: RecordOutcome[], metricVersionId: string) =>
  outcomes.find(
    (each) => each.metricVersionId === metricVersionId && typeof each.outcome !== 'string',
  )?.outcome as boolean | number | undefined;

const signOf = (direction: Direction): 1 | -1 => (direction === 'asc' ? 1 : -1);

/** A position as the text of a cursor: an id, or a value and an id, or no value and an id. */
const sealPosition = ({ value, id }: Position): string =>
  value === undefined ? id : `${JSON.stringify(value)}/${id}`;

function openPosition(text: string): Position {
  const slash = text.indexOf('/');
  return slash < 0
    ? { id: text }
    : { value: JSON.parse(text.slice(0, slash)) as boolean | number, id: text.slice(slash + 1) };
}
