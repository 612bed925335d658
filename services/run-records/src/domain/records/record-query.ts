import type { Identity } from '@assay/contracts/define';
import { type Issue, invalid } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { RecordOutcome } from '@assay/contracts/run-records';
import { isNumeric, isValueOf, scaleOf, valueInWords } from '@assay/contracts/scale';
import type { OutcomeFilter, ValueRange } from '../../store/record-conditions.ts';
import type { RecordList } from '../../store/record-list.ts';
import type { StoredRun } from '../../store/runs.ts';

/** The filters and the order of a list, as the contract has checked them one by one. */
export interface RecordQuery {
  tags?: string[] | undefined;
  metricVersionId?: string | undefined;
  outcome?: RecordOutcome | undefined;
  value?: boolean | number | undefined;
  min?: number | undefined;
  max?: number | undefined;
  assignee?: string | undefined;
  hasAnnotations?: boolean | undefined;
  hasError?: boolean | undefined;
  testcaseId?: string | undefined;
  breakdownBy?: string | undefined;
  breakdownValue?: string | undefined;
  order?: 'asc' | 'desc' | undefined;
  /** A metric version, by whose values the list is sorted. */
  sort?: string | undefined;
}

/**
 * Tags of one request: the database looks for each of them in every record that it finds by the
 * rarest.
 */
const filterTagsMax = 64;

/**
 * Returns the list that a query asks for.
 * @throws VALIDATION_ERROR with all filters that lack their partner, or do not fit the run.
 */
export function recordListOf(
  run: StoredRun,
  { userId }: Identity,
  query: RecordQuery,
): Omit<RecordList, 'page'> {
  const { metricVersionId, assignee, hasAnnotations, hasError, testcaseId, order, sort } = query;
  const tags = (query.tags ?? []).map(alternatives);
  const metric = run.metrics.find((each) => each.metricVersionId === metricVersionId);
  const sorting = run.metrics.find((each) => each.metricVersionId === sort);
  const ofAnotherRun = 'does not belong to this run: see its metricVersionIds';
  const issues: Issue[] = [
    ...(new Set(tags.flat(2)).size > filterTagsMax ? [tooManyTags] : []),
    ...(metricVersionId !== undefined && !metric
      ? [{ path: '?metricVersionId', message: ofAnotherRun }]
      : []),
    ...partnerIssues(query),
    ...(metric ? metricIssues(metric, query) : []),
    ...(sort !== undefined && !sorting ? [{ path: '?sort', message: ofAnotherRun }] : []),
  ];
  if (issues.length > 0) throw invalid(issues);
  return {
    runId: run.id,
    filters: {
      tags,
      outcomes: metric ? outcomeFilters(metric, query) : [],
      assigneeUserId: assignee === 'me' ? userId : assignee,
      hasAnnotations,
      hasError,
      testcaseId,
    },
    direction: order ?? 'asc',
    sort: sorting && { metricVersionId: sorting.metricVersionId, values: valuesOf(sorting) },
  };
}

const tooManyTags: Issue = {
  path: '?tags',
  message: `names more than ${filterTagsMax} different tags; a value with commas names itself and each of its parts`,
};

/** A tag filter as it stands, or, since clients join several by commas, as its parts. */
function alternatives(text: string): string[][] {
  const parts = text.split(',').filter((part) => part !== '');
  return parts.length > 1 || parts[0] !== text
    ? [[text], ...(parts.length > 0 ? [parts] : [])]
    : [[text]];
}

const ofMetric = ['outcome', 'value', 'min', 'max'] as const;

function partnerIssues(query: RecordQuery): Issue[] {
  const given = ofMetric.filter((name) => query[name] !== undefined);
  const issues: Issue[] = [];
  if (query.metricVersionId === undefined)
    for (const name of given)
      issues.push({
        path: `?${name}`,
        message: 'needs metricVersionId beside it, the metric version that is meant',
      });
  else if (given.length === 0)
    issues.push({
      path: '?metricVersionId',
      message: 'needs outcome, value, min or max beside it',
    });
  if ((query.breakdownBy === undefined) !== (query.breakdownValue === undefined)) {
    const [given, missing] =
      query.breakdownBy === undefined
        ? ['breakdownValue', 'breakdownBy']
        : ['breakdownBy', 'breakdownValue'];
    issues.push({ path: `?${given}`, message: `needs ${missing} beside it` });
  }
  if (query.min !== undefined && query.max !== undefined && query.min > query.max)
    issues.push({ path: '?min', message: 'must not be greater than max' });
  return issues;
}

function metricIssues(
  metric: MetricVersionOutline,
  { outcome, value, min, max }: RecordQuery,
): Issue[] {
  const { outputType, passingThreshold } = metric;
  const issues: Issue[] = [];
  if ((outcome === 'pass' || outcome === 'fail') && isNumeric(outputType))
    if (passingThreshold === null)
      issues.push({
        path: '?outcome',
        message: 'cannot be pass or fail: the metric version has no passing threshold',
      });
  if (value !== undefined && !isValueOf(metric, value))
    issues.push({
      path: '?value',
      message: `must be ${valueInWords(metric)}, as values of this metric are`,
    });
  if (!isNumeric(outputType))
    for (const [name, bound] of Object.entries({ min, max }))
      if (bound !== undefined)
        issues.push({
          path: `?${name}`,
          message: 'cannot be used with a boolean metric: use value=true or value=false',
        });
  return issues;
}

function outcomeFilters(
  metric: MetricVersionOutline,
  { outcome, value, min, max }: RecordQuery,
): OutcomeFilter[] {
  const { metricVersionId } = metric;
  const all = valuesOf(metric);
  const filters: Omit<OutcomeFilter, 'metricVersionId'>[] = [];
  if (outcome !== undefined) filters.push(outcomeFilter(metric, outcome));
  if (value !== undefined) filters.push({ outcomes: [value], values: { min: value, max: value } });
  if (min !== undefined || max !== undefined)
    filters.push(rangeFilter(metric, { min: min ?? all.min, max: max ?? all.max }));
  return filters.map((filter) => ({ metricVersionId, ...filter }));
}

/** A threshold is passed by the values at it, and by those on its good side. */
function outcomeFilter(
  metric: MetricVersionOutline,
  outcome: RecordOutcome,
): Omit<OutcomeFilter, 'metricVersionId'> {
  if (outcome === 'invalid') return { outcomes: ['invalid', 'unfit'], values: undefined };
  if (outcome !== 'pass' && outcome !== 'fail') return { outcomes: [outcome], values: undefined };
  const isPass = outcome === 'pass';
  const { min, max } = valuesOf(metric);
  const { outputType, lowerIsBetter = false } = metric;
  if (!isNumeric(outputType)) {
    const value = isPass !== lowerIsBetter;
    return { outcomes: [value], values: { min: value, max: value } };
  }
  const threshold = metric.passingThreshold!;
  const values = {
    ...(isPass === lowerIsBetter ? { min, max: threshold } : { min: threshold, max }),
    ...(isPass ? {} : lowerIsBetter ? { isMinExcluded: true } : { isMaxExcluded: true }),
  };
  return outputType === 'float' ? { outcomes: [outcome], values } : rangeFilter(metric, values);
}

/** Up to so many values are asked for one by one. */
const countedValuesMax = 100;

/** A few whole numbers can be counted up, so an index has them in the order of ids. */
function rangeFilter(
  metric: MetricVersionOutline,
  values: ValueRange,
): Omit<OutcomeFilter, 'metricVersionId'> {
  const { low, high } = scaleOf(metric);
  const count = high - low + 1;
  if (metric.outputType !== 'int' || count > countedValuesMax)
    return { outcomes: undefined, values };
  const { min, max, isMinExcluded, isMaxExcluded } = values;
  const outcomes = Array.from({ length: count }, (_, step) => low + step).filter(
    (value) =>
      (isMinExcluded ? value > Number(min) : value >= Number(min)) &&
      (isMaxExcluded ? value < Number(max) : value <= Number(max)),
  );
  return { outcomes, values };
}

/** The values that a metric may have (contract section 2, Score). */
function valuesOf(metric: MetricVersionOutline): ValueRange {
  if (!isNumeric(metric.outputType)) return { min: false, max: true };
  const { low, high } = scaleOf(metric);
  return { min: low, max: high };
}
