interface TracePlace {
  traceId: string;
  startedAt: string;
}

/**
 * How many of the newest traces the list does not have yet. One that started before all that the list
 * has is not new: it came up when others were deleted.
 */
export function countNew(newest: readonly TracePlace[], listed: readonly TracePlace[]): number {
  const known = new Set(listed.map(({ traceId }) => traceId));
  const oldest = listed.reduce<string | undefined>(
    (before, { startedAt }) => (before === undefined || startedAt < before ? startedAt : before),
    undefined,
  );
  return newest.filter(
    ({ traceId, startedAt }) =>
      !known.has(traceId) && (oldest === undefined || startedAt >= oldest),
  ).length;
}
