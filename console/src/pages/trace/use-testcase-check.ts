import { parseByValue } from '@assay/json/parse';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { request } from '../../api/request.ts';
import { useSettled } from '../../parts/settled.ts';
import { type TraceParts, wholeParts } from './testcase-mapping.ts';

const path = '/testsets/:testsetId/testcases/from-traces';

/** Tells what a mapping makes of a trace, and makes nothing. */
async function tryMapping(
  { testsetId, traceId }: { testsetId: string; traceId: string },
  { mapping, signal }: { mapping: Record<string, string>; signal: AbortSignal },
) {
  const { items } = await request('POST', path, {
    params: { testsetId },
    body: { traceIds: [traceId], mapping, dryRun: true },
    signal,
  });
  return items[0]!;
}

/** The input, output and metadata of a trace, as mappings see them. */
export const useTraceParts = (testsetId: string | undefined, traceId: string) =>
  useQuery({
    queryKey: [path, 'parts', testsetId, traceId],
    queryFn: async ({ signal }): Promise<TraceParts> =>
      (await tryMapping({ testsetId: testsetId!, traceId }, { mapping: wholeParts, signal }))
        .jsonData,
    enabled: testsetId !== undefined,
    gcTime: 60_000,
  });

/** The testcase that a mapping makes, checked while it is typed. */
export function useTestcaseCheck({
  testsetId,
  traceId,
  mapping,
}: {
  testsetId: string | undefined;
  traceId: string;
  mapping: Record<string, string> | undefined;
}) {
  const text = JSON.stringify(mapping ?? {});
  const settled = useSettled(text);
  const check = useQuery({
    queryKey: [path, 'check', testsetId, traceId, settled],
    queryFn: ({ signal }) =>
      tryMapping(
        { testsetId: testsetId!, traceId },
        { mapping: parseByValue(settled) as Record<string, string>, signal },
      ),
    enabled: testsetId !== undefined && settled !== '{}',
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 0,
    gcTime: 0,
  });
  const isCurrent = settled === text && !check.isFetching;
  return useMemo(
    () => ({ testcase: check.data, error: check.error, isCurrent }),
    [check.data, check.error, isCurrent],
  );
}
