import type { PassBounds } from '@assay/contracts/results';
import { type Limits, rounding, shareOf, type Voice } from './limits.ts';

/** What a pass rate comes to beside its limit. */
interface PassRateFinding {
  outcome: 'passed' | 'worse' | 'unknown';
  reason?: string;
}

/**
 * Holds a pass rate against `minPassRate`: it fails only where it does so even if each score that is
 * unknown passed; where these decide, nobody can tell. Scores that are allowed to be missing are in
 * no rate.
 */
export function judgePassRate(
  bounds: PassBounds | null | undefined,
  { limits, isAllowed, voice }: { limits: Limits; isAllowed: boolean; voice: Voice },
): PassRateFinding {
  if (limits.minPassRate === undefined) return { outcome: 'passed' };
  const limit = shareOf(limits.minPassRate);
  const { candidate, options } = voice;
  const noRate = `${candidate} has no pass rate to hold against ${options.minPassRate}.`;
  if (!bounds || bounds.testcases === 0) return { outcome: 'unknown', reason: noRate };
  if (isAllowed && bounds.known === null) return { outcome: 'unknown', reason: noRate };
  const [low, high] = isAllowed ? [bounds.known!, bounds.known!] : [bounds.low, bounds.high];
  const rate = rateInWords(limits, voice);
  if (high < limit - rounding)
    return {
      outcome: 'worse',
      reason:
        low === high
          ? `${rate}, ${inPercent(low)}, is below the ${inPercent(limit)} of ${options.minPassRate}.`
          : `${rate} is below the ${inPercent(limit)} of ${options.minPassRate}, whatever the unknown scores say: it is ${inPercent(high)} at most.`,
    };
  if (low < limit - rounding)
    return {
      outcome: 'unknown',
      reason: `the unknown scores decide about the ${inPercent(limit)} of ${options.minPassRate}: ${rate} is from ${inPercent(low)} to ${inPercent(high)}.`,
    };
  return { outcome: 'passed' };
}

const rateInWords = ({ minPasses }: Limits, { candidate }: Voice): string =>
  minPasses === undefined
    ? `${candidate}'s pass rate`
    : `${candidate}'s share of testcases that pass ${minPasses === 1 ? 'once' : `${minPasses} times`}`;

const inPercent = (rate: number): string => `${shortened(100 * rate)} %`;

/** Enough places to tell a value from a limit that it just misses. */
export const shortened = (value: number): string => String(Number(value.toPrecision(6)));
