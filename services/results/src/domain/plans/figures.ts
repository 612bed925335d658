import type { Request } from '@assay/contracts/define';
import { type Issue, invalid } from '@assay/contracts/failure';
import type { results } from '@assay/contracts/results';
import { isNumeric, type StatedScale, scaleOf } from '@assay/contracts/scale';
import type { Spread } from './design.ts';

export type PlanBody = Request<(typeof results)['operations']['planComparison']>['body'];

/** The evidence of a plan: how much two versions vary, and the sentences that say whence. */
export interface Evidence {
  /** Null where the pilot's values do not vary. */
  spread: Spread | null;
  assumptions: string[];
}

const figures = ['baselineMean', 'changeRate', 'standardDeviation'] as const;
type Figure = (typeof figures)[number];

/**
 * Checks that a body has a pilot or the figures for its type of metric, and that the difference is
 * possible with them.
 * @throws VALIDATION_ERROR
 */
export function checkBody(body: PlanBody, metric: StatedScale): void {
  const issues = [...differenceIssues(body, metric), ...sourceIssues(body, metric)];
  if (issues.length > 0) throw invalid(issues);
  const impossible = [...impossibleFigures(body)];
  if (impossible.length > 0) throw invalid(impossible);
}

function* differenceIssues({ difference }: PlanBody, metric: StatedScale): Generator<Issue> {
  const { low, high } = scaleOf(metric);
  if (difference > high - low)
    yield {
      path: '/difference',
      message: `cannot be more than ${high - low}: no two values of this metric differ by more`,
    };
}

function* sourceIssues(body: PlanBody, metric: StatedScale): Generator<Issue> {
  const { outputType } = metric;
  const given = figures.filter((figure) => body[figure] !== undefined);
  const { pilotRunId, pilotBaselineRunId } = body;
  if (pilotRunId !== undefined) {
    for (const figure of given)
      yield { path: `/${figure}`, message: 'cannot be given together with a pilot run' };
    if (pilotBaselineRunId === pilotRunId)
      yield { path: '/pilotBaselineRunId', message: 'must be another run than the pilot' };
    return;
  }
  if (pilotBaselineRunId !== undefined) {
    yield { path: '/pilotRunId', message: 'is required beside pilotBaselineRunId' };
    return;
  }
  const wanted: Figure[] = isNumeric(outputType)
    ? ['standardDeviation']
    : ['baselineMean', 'changeRate'];
  const named = wanted.join(' and ');
  if (given.length === 0) {
    yield { path: '/pilotRunId', message: `is required, or ${named}` };
    return;
  }
  for (const figure of wanted)
    if (body[figure] === undefined)
      yield { path: `/${figure}`, message: `is required for a metric of type ${outputType}` };
  for (const figure of given)
    if (!wanted.includes(figure))
      yield {
        path: `/${figure}`,
        message: `is not for a metric of type ${outputType}, which takes ${named}`,
      };
  const { low, high } = scaleOf(metric);
  if ((body.standardDeviation ?? 0) > high - low)
    yield {
      path: '/standardDeviation',
      message: `cannot be more than ${high - low}: no two values of this metric differ by more`,
    };
}

/**
 * The pass rates b and b + d (or b − d) allow from d up to d + 2 · min(b, 1 − b − d) of the
 * testcases to change.
 */
function* impossibleFigures({ difference, baselineMean, changeRate }: PlanBody): Generator<Issue> {
  if (baselineMean === undefined || changeRate === undefined) return;
  if (difference > changeRate + rounding)
    yield {
      path: '/difference',
      message: `cannot be more than the changeRate, ${changeRate}: the pass rate cannot change by more than the results do`,
    };
  const most = Math.max(
    ...[baselineMean, 1 - baselineMean].map(
      (share) => difference + 2 * Math.min(share, 1 - share - difference),
    ),
  );
  if (most < difference - rounding)
    yield {
      path: '/difference',
      message: `cannot be more than ${rounded(Math.max(baselineMean, 1 - baselineMean))}: the pass rate cannot move further from ${baselineMean}`,
    };
  else if (changeRate > most + rounding)
    yield {
      path: '/changeRate',
      message: `cannot be more than ${rounded(most)}: with a pass rate of ${baselineMean} and this difference, no more results can change`,
    };
}

const rounding = 1e-9;
const rounded = (value: number): number => Number(value.toFixed(6));

/** The spread that was given in figures, of a body that was checked. */
export function givenSpread({ changeRate, standardDeviation }: PlanBody): Evidence {
  if (changeRate !== undefined)
    return {
      spread: { isBoolean: true, between: changeRate, within: null, changeRate },
      assumptions: [
        `The result of ${percent(changeRate)} of the testcases changes between the two versions, as given.`,
      ],
    };
  return {
    spread: {
      isBoolean: false,
      between: standardDeviation! ** 2,
      within: null,
      changeRate: null,
    },
    assumptions: [
      `The differences of the two versions have a standard deviation of ${standardDeviation} by testcase, as given.`,
    ],
  };
}

export const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
