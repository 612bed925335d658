import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';

export interface ComparisonOptions {
  baseline: string | undefined;
  candidate: string | undefined;
  /** A JSON Pointer by which pairs are grouped. */
  group?: string | undefined;
  level?: string | undefined;
}

/** The comparison of two runs; nothing until both are chosen. */
export const useComparison = ({ baseline, candidate, group, level }: ComparisonOptions) =>
  useQuery({
    queryKey: ['/comparisons', baseline, candidate, group, level],
    enabled: baseline !== undefined && candidate !== undefined,
    queryFn: ({ signal }) =>
      request('POST', '/comparisons', {
        body: {
          baselineRunId: baseline!,
          candidateRunId: candidate!,
          ...(group ? { groupBy: group } : {}),
          ...(level ? { level: Number(level) } : {}),
        },
        signal,
      }),
  });
