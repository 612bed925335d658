import type { TraceSummary } from '@assay/span-reading/summarize-trace';
import type { SettledFields } from '../store.ts';

/**
 * The head of a settled trace. Of one that was not read whole, its counts stay as they are, and of
 * one that is settled again a cost that is not known now.
 */
export function settledFieldsOf(
  {
    hasRoot: _hasRoot,
    projectId: _projectId,
    tokensByModel: _tokensByModel,
    spans,
    errors,
    durationMs,
    metadata,
    costUsd: _costUsd,
    ...summary
  }: TraceSummary,
  { costUsd, isWhole, isAgain }: { costUsd: number | null; isWhole: boolean; isAgain: boolean },
): SettledFields {
  return {
    ...summary,
    endedAt: summary.startedAt + durationMs,
    metadata: Object.entries(metadata),
    ...(isAgain && costUsd === null ? {} : { costUsd }),
    ...(isWhole ? { numSpans: spans, numErrors: errors } : {}),
  };
}
