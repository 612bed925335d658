import type { BodyOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';

/** The cost of scoring a run's records anew by its metrics: all of them, or some. */
export const useRescoreEstimate = (
  runId: string,
  body: BodyOf<'POST', '/runs/:runId/rescore/estimate'> = {},
) =>
  useQuery({
    queryKey: ['/runs/:runId/rescore/estimate', runId, body],
    queryFn: ({ signal }) =>
      request('POST', '/runs/:runId/rescore/estimate', { params: { runId }, body, signal }),
  });
