import { useQueryClient } from '@tanstack/react-query';
import type { ParamsOf, PathOf, ReplyOf } from './operations.ts';

/**
 * What this tab has read under a path lately, whatever it asked for. It completes what a person
 * writes without a request of its own.
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
