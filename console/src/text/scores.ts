import type { Outcome } from '../parts/score.tsx';

/** The value that a score carries, whichever of its names it has; undefined for none. */
export function valueIn(score: Record<string, unknown>): number | boolean | undefined {
  const value = score.value ?? score.binaryScore ?? score.intScore ?? score.floatScore;
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Whether a value passes: a number from the threshold of the metric's version on. */
export function outcomeOf(
  { passingThreshold }: { passingThreshold: number | null },
  value: number | boolean | undefined,
): Outcome {
  if (value === undefined) return 'notApplicable';
  if (typeof value === 'boolean') return value ? 'pass' : 'fail';
  return passingThreshold === null || value >= passingThreshold ? 'pass' : 'fail';
}
