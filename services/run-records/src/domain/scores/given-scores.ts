import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { GivenScore } from '../accounts/given-score.ts';
import type { StoredScore } from '../accounts/score-states.ts';
import { readScore } from '../accounts/score-value.ts';

/** The metric version of a score that a client gives. */
export type ScoredMetric = Pick<
  MetricVersionOutline,
  'metricVersionId' | 'evalType' | 'outputType' | 'min' | 'max' | 'isScoredByService' | 'annotators'
>;

/** Whose score it is, and who recorded it where that is somebody else. */
export type Giver = Pick<StoredScore, 'userId' | 'recordedByUserId'>;

/**
 * The score that a client gives, whether alone, with its record, or among many others. Without
 * `score` it is given to a person as pending.
 * @throws VALIDATION_ERROR where the metric is not scored by people and there is no score.
 */
export function givenScore(
  metric: ScoredMetric,
  { score, giver, createdAt }: { score?: JsonText | undefined; giver: Giver; createdAt: Date },
): GivenScore {
  const { metricVersionId, evalType, annotators } = metric;
  if (!score && evalType !== 'human')
    throw invalidAt('/score', 'is required, because the metric is not scored by people');
  return {
    score: {
      metricVersionId,
      ...giver,
      ...(score ? readGiven(score, metric) : { text: '{}', value: null, isPending: true }),
      source: sourceOf(metric),
      createdAt,
    },
    annotators,
  };
}

function readGiven(score: JsonText, metric: ScoredMetric) {
  const { validationErrors, ...read } = readScore(metric, score.parse() as Record<string, unknown>);
  return {
    text: score.toString(),
    ...read,
    ...(validationErrors.length > 0 ? { validationErrors } : {}),
  };
}

/**
 * Whoever gives it, the score of a heuristic metric without an evaluator comes from a program: it is
 * no opinion of a person (contract section 3).
 */
const sourceOf = ({ evalType, isScoredByService }: ScoredMetric) =>
  evalType === 'heuristic' && !isScoredByService ? ('heuristic' as const) : ('human' as const);
