import type { PairwiseResults } from '@assay/contracts/scoring';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { bradleyTerryIntervals, type Wins } from '@assay/statistics/bradley-terry';
import { holmAdjust } from '@assay/statistics/holm';
import { fitToVerdict } from '@assay/statistics/interval';
import { midPMcNemar, newcombePairedInterval, wilsonInterval } from '@assay/statistics/proportions';
import { gatherUnits } from '@assay/statistics/units';
import type { Preference } from '../judging/answer.ts';
import { preferredSide } from './answers.ts';

/** One pair of records: the answers with the baseline's, and with the candidate's, shown first. */
export interface AnsweredPair {
  testcaseId: string;
  /** The places of the baseline and the candidate among the runs. */
  runs: [number, number];
  /** null where it failed. */
  answers: { forward: Preference; backward: Preference } | null;
  /** Whether a system that failed lost it, so that no judge was asked. */
  isLostByError?: boolean;
}

/** All that the results of a comparison follow from. */
export interface AnsweredPairs {
  runIds: string[];
  pairs: AnsweredPair[];
}

type PairResult = PairwiseResults['pairs'][number];
type RankedRun = NonNullable<PairwiseResults['leaderboard']>[number];
type Side = 'baseline' | 'candidate' | 'tie';

interface JudgedPair {
  testcaseId: string;
  isLostByError: boolean;
  runs: [number, number];
  winner: Side;
  isConsistent: boolean;
  /** Of a contradiction: whether it leans to the slot that was shown first. */
  leansToFirst: boolean;
}

const level = 0.95;
/** A p-value that is computed may be this far above its exact value, as a part of it. */
const rounding = 1e-9;

/**
 * The results of judging several runs pair by pair. A pair is won where both orders name the same
 * winner, and else a tie. Verdicts come from the mid-p sign test over the pairs that are won, by
 * Holm's correction over the pairs of runs.
 */
export function describePairs({ runIds, pairs }: AnsweredPairs): PairwiseResults {
  const judged = pairs.flatMap((pair) => (pair.answers ? [judgedPair(pair, pair.answers)] : []));
  const results = pairResults({ runIds, pairs, judged });
  const contradictions = judged.filter(({ isConsistent }) => !isConsistent);
  return {
    level,
    pairs: results,
    leaderboard: runIds.length > 2 && judged.length > 0 ? rank(runIds, judged, results) : null,
    consistency: shareOf(
      judged.filter(({ isLostByError }) => !isLostByError),
      ({ isConsistent }) => isConsistent,
    ),
    firstSlotPreference: shareOf(contradictions, ({ leansToFirst }) => leansToFirst),
  };
}

function judgedPair(
  { testcaseId, runs, isLostByError = false }: AnsweredPair,
  { forward, backward }: NonNullable<AnsweredPair['answers']>,
): JudgedPair {
  const [one, other] = [preferredSide('forward', forward), preferredSide('backward', backward)];
  const slots = [forward, backward];
  const countOf = (slot: Preference) => slots.filter((named) => named === slot).length;
  return {
    testcaseId,
    isLostByError,
    runs,
    winner: one === other ? one : 'tie',
    isConsistent: one === other,
    leansToFirst: countOf('first') > countOf('second'),
  };
}

function pairResults({
  runIds,
  pairs,
  judged,
}: AnsweredPairs & { judged: JudgedPair[] }): PairResult[] {
  const undecided = pairsOfRuns(runIds.length).map(([baseline, candidate]) => {
    const isOf = ({ runs }: { runs: [number, number] }) =>
      runs[0] === baseline && runs[1] === candidate;
    const own = judged.filter(isOf);
    const countOf = (side: Side) => own.filter(({ winner }) => winner === side).length;
    const [wins, losses, ties] = [countOf('candidate'), countOf('baseline'), countOf('tie')];
    return {
      baselineRunId: runIds[baseline]!,
      candidateRunId: runIds[candidate]!,
      wins,
      losses,
      ties,
      failed: pairs.filter((pair) => !pair.answers && isOf(pair)).length,
      difference: own.length === 0 ? null : (wins - losses) / own.length,
      // The shares of wins and of losses exclude each other: no testcase has both.
      confidenceInterval: newcombePairedInterval({
        both: 0,
        candidateOnly: wins,
        baselineOnly: losses,
        neither: ties,
        level,
      }),
      pValue:
        wins + losses === 0 ? null : midPMcNemar({ candidateOnly: wins, baselineOnly: losses }),
    };
  });
  const adjusted = holmAdjust(undecided.map(({ pValue }) => pValue));
  return undecided.map((result, place) => {
    const adjustedPValue = adjusted[place]!;
    const verdict = verdictOf(result.difference, adjustedPValue);
    const confidenceInterval = fitToVerdict(result.confidenceInterval, verdict);
    return { ...result, confidenceInterval, adjustedPValue, verdict };
  });
}

/** All pairs of runs, the one that was named earlier as the baseline. */
export const pairsOfRuns = (count: number): [number, number][] =>
  Array.from({ length: count }, (_, baseline) =>
    Array.from({ length: count - baseline - 1 }, (_, more): [number, number] => [
      baseline,
      baseline + more + 1,
    ]),
  ).flat();

function verdictOf(
  difference: number | null,
  adjustedPValue: number | null,
): PairResult['verdict'] {
  if (adjustedPValue === null || adjustedPValue > (1 - level) * (1 + rounding) || !difference)
    return 'undecided';
  return difference > 0 ? 'better' : 'worse';
}

function rank(runIds: string[], judged: JudgedPair[], results: PairResult[]): RankedRun[] {
  const count = runIds.length;
  const winsByTestcase = winsOf(judged, count);
  const strengths = bradleyTerryIntervals([...winsByTestcase.values()], { count, level });
  const isAbove = (one: number, other: number) =>
    strengths[one]!.confidenceInterval.low > strengths[other]!.confidenceInterval.high &&
    winnerOf(results, runIds[one]!, runIds[other]!) === runIds[one];
  const places = runIds.map((_, place) => place);
  return runIds
    .map((runId, run) => ({
      runId,
      ...strengths[run]!,
      winShare: winShareOf(judged, run),
      rank: {
        from: 1 + places.filter((other) => isAbove(other, run)).length,
        to: count - places.filter((other) => isAbove(run, other)).length,
      },
    }))
    .sort((a, b) => b.strength - a.strength);
}

/** The run that is better by the verdict on the two, if there is one. */
function winnerOf(results: PairResult[], one: string, other: string): string | undefined {
  const result = results.find(({ baselineRunId, candidateRunId }) =>
    [one, other].every((runId) => runId === baselineRunId || runId === candidateRunId),
  );
  if (!result || result.verdict === 'undecided') return undefined;
  return result.verdict === 'better' ? result.candidateRunId : result.baselineRunId;
}

/** How often each run won against each other one in a testcase; a tie is half a win for both. */
function winsOf(judged: JudgedPair[], count: number): Map<string, Wins> {
  const byTestcase = new Map<string, Wins>();
  for (const { testcaseId, runs, winner } of judged) {
    const wins = byTestcase.get(testcaseId) ?? new Float64Array(count * count);
    byTestcase.set(testcaseId, wins);
    const [baseline, candidate] = runs;
    wins[baseline * count + candidate] = winner === 'baseline' ? 1 : winner === 'tie' ? 0.5 : 0;
    wins[candidate * count + baseline] = winner === 'candidate' ? 1 : winner === 'tie' ? 0.5 : 0;
  }
  return byTestcase;
}

function winShareOf(judged: JudgedPair[], run: number): number | null {
  const own = judged.filter(({ runs }) => runs.includes(run));
  if (own.length === 0) return null;
  const won = own.reduce((sum, { runs, winner }) => {
    if (winner === 'tie') return sum + 0.5;
    return runs[winner === 'baseline' ? 0 : 1] === run ? sum + 1 : sum;
  }, 0);
  return won / own.length;
}

/**
 * The share of pairs of which something holds. Pairs of one testcase are drawn together, since they
 * have a record in common; where each testcase has one pair, the interval is Wilson's.
 */
function shareOf(
  pairs: JudgedPair[],
  holds: (pair: JudgedPair) => boolean,
): PairwiseResults['consistency'] {
  const of = pairs.length;
  if (of === 0) return null;
  const values = pairs.map((pair) => Number(holds(pair)));
  const count = values.reduce((sum, value) => sum + value, 0);
  const groups = pairs.map(({ testcaseId }) => testcaseId);
  const units = gatherUnits({ values, groups })!;
  const isClustered = units.sums.length < of && units.sums.length > 1;
  return {
    count,
    of,
    share: count / of,
    confidenceInterval: isClustered
      ? bootstrapMean(units, { scale: { low: 0, high: 1 }, level }).interval!
      : wilsonInterval({ successes: count, trials: of, level })!,
  };
}
