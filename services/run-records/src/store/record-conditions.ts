import type { Filter } from 'mongodb';
import { type Outcome, outcomesWithoutValue } from '../domain/accounts/outcomes.ts';
import type { Condition } from './condition.ts';
import type { Reaches } from './reach.ts';
import type { RecordDocument } from './record.ts';
import { tagCondition } from './tag-filter.ts';

/** The values from `min` to `max`. */
export interface ValueRange {
  min: boolean | number;
  max: boolean | number;
  isMinExcluded?: boolean;
  isMaxExcluded?: boolean;
}

/** Outcomes of a metric version. */
export interface OutcomeFilter {
  metricVersionId: string;
  /** All that match, where they can be counted up; otherwise they are the `values`. */
  outcomes: Outcome[] | undefined;
  /** The values that match; undefined for outcomes without one. */
  values: ValueRange | undefined;
}

/** The filters of a list; a record must match all of them. */
export interface RecordFilters {
  /** Each a set of alternatives, each alternative the tags that must all be there. */
  tags: string[][][];
  outcomes: OutcomeFilter[];
  assigneeUserId: string | undefined;
  hasAnnotations: boolean | undefined;
  hasError: boolean | undefined;
  testcaseId: string | undefined;
}

/** The index for outcomes and values; it has the records that have a state of any metric version. */
export const outcomeIndex = {
  organizationId: 1,
  runId: 1,
  'outcomes.metricVersionId': 1,
  'outcomes.outcome': 1,
  _id: 1,
} as const;
const assigneeIndex = {
  organizationId: 1,
  runId: 1,
  'assignees.assigneeUserId': 1,
  _id: 1,
} as const;
const annotationIndex = { organizationId: 1, runId: 1, hasAnnotations: 1, _id: 1 } as const;
export const errorIndex = { organizationId: 1, runId: 1, hasError: 1, _id: 1 } as const;
export const testcaseIndex = { organizationId: 1, runId: 1, testcaseId: 1, _id: 1 } as const;

/** The records with one of these outcomes of a metric version, or with an outcome in a range. */
export const outcomeBounds = (
  metricVersionId: string,
  outcome: Outcome | Record<string, unknown>,
): Filter<RecordDocument> => ({
  outcomes: { $exists: true, $elemMatch: { metricVersionId, outcome } },
});

/** Translates filters, but for those that are given otherwise. */
export async function conditionsOf(
  { tags, outcomes, assigneeUserId, hasAnnotations, hasError, testcaseId }: RecordFilters,
  reaches: Reaches,
): Promise<Condition[]> {
  return [
    ...(tags.length > 0 ? [await tagCondition(tags, reaches)] : []),
    ...outcomes.map(outcomeCondition),
    ...(assigneeUserId === undefined
      ? []
      : [whole({ 'assignees.assigneeUserId': assigneeUserId }, assigneeIndex)]),
    ...(testcaseId === undefined ? [] : [whole({ testcaseId }, testcaseIndex)]),
    ...markCondition('hasAnnotations', hasAnnotations, annotationIndex),
    ...markCondition('hasError', hasError, errorIndex),
  ];
}

/** The records that have a mark, which an index has, or those that do not. */
function markCondition(
  mark: 'hasAnnotations' | 'hasError',
  isMarked: boolean | undefined,
  index: Record<string, 1>,
): Condition[] {
  if (isMarked === undefined) return [];
  return [isMarked ? whole({ [mark]: true }, index) : { filter: { [mark]: { $exists: false } } }];
}

const whole = (filter: Filter<RecordDocument>, index: Record<string, 1>): Condition => ({
  filter,
  lead: { filter, index, isWhole: true },
});

function outcomeCondition({ metricVersionId, outcomes, values }: OutcomeFilter): Condition {
  const filter = outcomeCheck({ metricVersionId, outcomes, values });
  // The index has a range in the order of its values, not of their ids.
  if (!outcomes) return { filter };
  const bounds = outcomeBounds(metricVersionId, { $in: outcomes });
  return { filter, lead: { filter: bounds, index: outcomeIndex, isWhole: true } };
}

/**
 * Finds outcomes by an expression, for which the database uses no index. With two conditions on
 * outcomes that an index could answer, it may choose either: then the list is in no order.
 */
function outcomeCheck({
  metricVersionId,
  outcomes,
  values,
}: OutcomeFilter): Filter<RecordDocument> {
  const { min, max, isMinExcluded, isMaxExcluded } = values ?? {};
  const matches = outcomes
    ? [{ $in: ['$$each.outcome', { $literal: outcomes }] }]
    : [
        { [isMinExcluded ? '$gt' : '$gte']: ['$$each.outcome', min] },
        { [isMaxExcluded ? '$lt' : '$lte']: ['$$each.outcome', max] },
      ];
  const isMeant = { $eq: ['$$each.metricVersionId', { $literal: metricVersionId }] };
  const input = { $ifNull: ['$outcomes', []] };
  return {
    $expr: {
      $anyElementTrue: { $map: { input, as: 'each', in: { $and: [isMeant, ...matches] } } },
    },
  };
}

/** A range as the database compares. */
export const boundsOf = ({ min, max, isMinExcluded, isMaxExcluded }: ValueRange) => ({
  [isMinExcluded ? '$gt' : '$gte']: min,
  [isMaxExcluded ? '$lt' : '$lte']: max,
});

/** The outcomes without a value that all of these filters match. */
export const outcomesWithoutValueOf = (filters: OutcomeFilter[]): Outcome[] =>
  outcomesWithoutValue.filter((outcome) =>
    filters.every(({ outcomes }) => outcomes?.includes(outcome)),
  );

/** The values that all of these ranges have; undefined where one of them has none. */
export function commonRange(ranges: (ValueRange | undefined)[]): ValueRange | undefined {
  return ranges.reduce((one, other) => {
    if (!one || !other) return undefined;
    const lower =
      other.max < one.max || (other.max === one.max && other.isMaxExcluded) ? other : one;
    const higher =
      one.min < other.min || (one.min === other.min && other.isMinExcluded) ? other : one;
    return {
      min: higher.min,
      max: lower.max,
      ...(higher.isMinExcluded ? { isMinExcluded: true } : {}),
      ...(lower.isMaxExcluded ? { isMaxExcluded: true } : {}),
    };
  });
}
