import { type AnsweredPair, describePairs } from '@assay/scoring/pairwise-statistics';
import type { Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { shareRow } from './observe.ts';

type Answers = NonNullable<AnsweredPair['answers']>;

/** Comparisons of two runs take microseconds, of three, with their resamples, a hundred times that. */
const drawsFactor = 10;
const counts = [20, 50, 200];
/** The share of testcases in which a judge contradicts itself or sees no difference. */
const tieShare = 0.3;

const answers: Record<'baseline' | 'candidate' | 'tie', Answers> = {
  baseline: { forward: 'first', backward: 'second' },
  candidate: { forward: 'second', backward: 'first' },
  tie: { forward: 'first', backward: 'first' },
};

/** Runs that a judge compares pair by pair: verdicts on two, and strengths of three. */
export function pairwiseRows(draws: number, random: Random): Row[] {
  return [
    ...counts.flatMap((count) => twoRunRows({ count, draws: draws * drawsFactor }, random)),
    ...counts.map((count) => strengthRow({ count, draws }, random)),
  ];
}

function twoRunRows({ count, draws }: { count: number; draws: number }, random: Random): Row[] {
  const seen = { verdicts: 0, coveredSame: 0, coveredDifferent: 0 };
  const difference = 0.2;
  for (let repeat = 0; repeat < draws; repeat++) {
    const same = compareTwo(count, 0, random);
    if (same.verdict !== 'undecided') seen.verdicts++;
    else seen.coveredSame++;
    const { low, high } = compareTwo(count, difference, random).confidenceInterval!;
    if (low <= difference && difference <= high) seen.coveredDifferent++;
  }
  const name = `pairwise, two runs, ${count} testcases`;
  return [
    shareRow(`${name}: verdicts without a difference`, [seen.verdicts, draws], { atMost: 0.06 }),
    shareRow('  intervals that hold the difference 0', [seen.coveredSame, draws], {
      atLeast: 0.93,
    }),
    shareRow(`  intervals that hold the difference ${difference}`, [seen.coveredDifferent, draws], {
      atLeast: 0.93,
    }),
  ];
}

/** Draws testcases of two runs, of which the candidate wins so many more, and compares them. */
function compareTwo(count: number, difference: number, random: Random) {
  const wins = (1 - tieShare + difference) / 2;
  const pairs = Array.from({ length: count }, (_, place): AnsweredPair => {
    const drawn = random.uniform();
    const winner = drawn < wins ? 'candidate' : drawn < 1 - tieShare ? 'baseline' : 'tie';
    return { testcaseId: String(place), runs: [0, 1], answers: answers[winner] };
  });
  return describePairs({ runIds: ['a', 'b'], pairs }).pairs[0]!;
}

const strengths = [0.7, 0.1, -0.8];

/** How often the intervals of three strengths hold them. */
function strengthRow({ count, draws }: { count: number; draws: number }, random: Random): Row {
  const runIds = strengths.map(String);
  let covered = 0;
  for (let repeat = 0; repeat < draws; repeat++) {
    const pairs = Array.from({ length: count }, (_, place) =>
      (
        [
          [0, 1],
          [0, 2],
          [1, 2],
        ] as [number, number][]
      ).map((runs): AnsweredPair => {
        const [baseline, candidate] = runs.map((run) => strengths[run]!) as [number, number];
        const isBaseline = random.uniform() < 1 / (1 + Math.exp(candidate - baseline));
        return {
          testcaseId: String(place),
          runs,
          answers: answers[isBaseline ? 'baseline' : 'candidate'],
        };
      }),
    ).flat();
    for (const { runId, confidenceInterval } of describePairs({ runIds, pairs }).leaderboard!)
      if (confidenceInterval.low <= Number(runId) && Number(runId) <= confidenceInterval.high)
        covered++;
  }
  return shareRow(
    `pairwise, three runs, ${count} testcases: intervals that hold the strengths`,
    [covered, strengths.length * draws],
    { atLeast: 0.93 },
  );
}
