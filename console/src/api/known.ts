import type { ParamsOf, PathOf, ReplyOf } from '@assay/client/operations';
import { useQueryClient } from '@tanstack/react-query';

/**
 * Items that this tab has read under a path lately, by any query. They complete the words that a
 * person writes, without a request of their own.
 */
export function useKnown<Path extends PathOf<'GET'>>(
  path: Path,
  params?: ParamsOf<Path>,
): ReplyOf<'GET', Path>[] {
  const readings = useQueryClient().getQueriesData<ReplyOf<'GET', Path>>({
    queryKey: params ? [path, params] : [path],
  });
  return readings.flatMap(([, reply]) => (reply === undefined ? [] : [reply]));
}
