import type { BodyOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { request } from './request.ts';

/** How large a comparison has to be; nothing without a body. */
export const usePlan = (body: BodyOf<'POST', '/plans'> | undefined) =>
  useQuery({
    queryKey: ['/plans', body],
    enabled: body !== undefined,
    queryFn: ({ signal }) => request('POST', '/plans', { body: body!, signal }),
  });
