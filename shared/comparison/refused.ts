import type { RequestFailure } from '@assay/client/client';

/** The runs of a question, as a sentence names them. */
const subjects: Record<string, string> = {
  '/baselineRunId': 'The baseline',
  '/candidateRunId': 'The candidate',
};

/** The beginning of the refusal of versions that have different scales. */
const sharedMetric = 'names the metric';

/**
 * Why two runs cannot be compared, in one sentence for people; undefined where the refusal is about
 * something else.
 */
export function comparisonRefusal({ issue }: Pick<RequestFailure, 'issue'>): string | undefined {
  if (!issue) return undefined;
  const { path, message } = issue;
  if (message.startsWith(sharedMetric))
    return `The runs share the metric${message.slice(sharedMetric.length)}.`;
  return subjects[path] && `${subjects[path]} ${message}.`;
}
