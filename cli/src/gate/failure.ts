import type { RequestFailure } from '@assay/client/client';
import { comparisonRefusal } from '@assay/comparison/refused';

/** The reason why the gate cannot reach a conclusion, in one sentence: exit 2. */
export class CannotTell extends Error {
  override name = 'CannotTell';
}

/**
 * The service's own words where it refuses; something else may answer at that address, or nothing.
 */
export function sentenceOf(failure: RequestFailure, { url }: { url: string }): string {
  const { status, code, reason } = failure;
  if (status === undefined) return `Assay is not reached at ${url}: ${reason}.`;
  if (code === undefined) return `What answers at ${url} is not Assay: ${reason}`;
  if (code === 'UNAUTHORIZED') return `The key is not accepted: ${reason}`;
  return comparisonRefusal(failure) ?? `Assay answered ${reason}`;
}
