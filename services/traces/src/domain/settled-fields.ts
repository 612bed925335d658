import type { TraceSummary } from '@assay/span-reading/summarize-trace';
import type { SettledFields } from '../store.ts';
import type { TraceCost } from './prices.ts';

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
    toldCostUsd: _toldCostUsd,
    ...summary
  }: TraceSummary,
  { cost, isWhole, isAgain }: { cost: TraceCost; isWhole: boolean; isAgain: boolean },
): SettledFields {
  return {
    ...summary,
    endedAt: summary.startedAt + durationMs,
    metadata: Object.entries(metadata),
    ...(isAgain && cost.costUsd === null ? {} : cost),
    ...(isWhole ? { numSpans: spans, numErrors: errors } : {}),
  };
}
