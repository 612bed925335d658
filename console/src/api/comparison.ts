import type { ReplyOf } from '@assay/client/operations';
import { comparisonBody } from '@assay/comparison/ask';
import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';

export interface ComparisonOptions {
  baseline: string | undefined;
  candidate: string | undefined;
  /** A JSON Pointer by which pairs are grouped. */
  group?: string | undefined;
  level?: string | undefined;
  /** The human metric that corrects judges; else people's scores of the judged metric do. */
  humanMetricId?: string | undefined;
}

/** The comparison of two runs for each value of a field; by the judges' own scores. */
export const useBrokenDown = ({
  baseline,
  candidate,
  group,
  level,
  breakdownBy,
}: ComparisonOptions & { breakdownBy: string }) =>
  useQuery<ReplyOf<'POST', '/comparisons'>>({
    queryKey: ['/comparisons', baseline, candidate, group, level, { breakdownBy }],
    enabled: baseline !== undefined && candidate !== undefined,
    queryFn: ({ signal }) =>
      request('POST', '/comparisons', {
        body: {
          baselineRunId: baseline!,
          candidateRunId: candidate!,
          breakdownBy,
          ...(group ? { groupBy: group } : {}),
          ...(level ? { level: Number(level) } : {}),
        },
        signal,
      }),
  });

/** The comparison of two runs; nothing until both are chosen. */
export const useComparison = ({
  baseline,
  candidate,
  group,
  level,
  humanMetricId,
}: ComparisonOptions) =>
  useQuery<ReplyOf<'POST', '/comparisons'>>({
    queryKey: ['/comparisons', baseline, candidate, group, level, humanMetricId],
    enabled: baseline !== undefined && candidate !== undefined,
    // The same runs stay in view while they are compared in another way.
    placeholderData: (shown, last) =>
      last?.queryKey[1] === baseline && last?.queryKey[2] === candidate ? shown : undefined,
    queryFn: ({ signal }) =>
      request('POST', '/comparisons', {
        body: comparisonBody({
          baselineRunId: baseline!,
          candidateRunId: candidate!,
          ...(group ? { groupBy: group } : {}),
          ...(level ? { level: Number(level) } : {}),
          humanMetricId,
        }),
        signal,
      }),
  });
