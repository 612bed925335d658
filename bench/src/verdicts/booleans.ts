import type { MetricPairs } from '@assay/results/comparison/pairs';
import { detectablePassRateDifference } from '@assay/statistics/detectable-difference';
import type { Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { level, type Observation, observe, shareRow } from './observe.ts';

/** A boolean comparison is computed in microseconds. */
const drawsFactor = 10;

const settings = [
  { count: 20, changes: [0.2, 0.4, 0.6] },
  { count: 50, changes: [0.1, 0.2, 0.4, 0.6] },
  { count: 200, changes: [0.1, 0.2, 0.4, 0.6] },
];

/** Mid-p McNemar, Newcombe's interval, and the difference that these pairs should detect. */
export function booleanRows(draws: number, random: Random): Row[] {
  return settings.flatMap(({ count, changes }) => {
    const name = `boolean, ${count} pairs`;
    const settled = changes.map((changed) =>
      settingRows({ count, changed, name, draws: draws * drawsFactor }, random),
    );
    const all = settled.flatMap(({ seen }) => seen);
    return [
      ...settled.flatMap(({ rows }) => rows),
      shareRow(
        `${name}, all of these: intervals that contradict their verdict`,
        [sumOf(all, 'contradictions'), sumOf(all, 'draws')],
        { atMost: 0.01 },
      ),
    ];
  });
}

const sumOf = (seen: Observation[], count: keyof Observation): number =>
  seen.reduce((sum, observation) => sum + observation[count], 0);

function settingRows(
  { count, changed, name, draws }: { count: number; changed: number; name: string; draws: number },
  random: Random,
): { rows: Row[]; seen: Observation[] } {
  const at = (difference: number) =>
    observe(draws, () => ({
      pairs: drawPassOrFail({ count, changed, difference }, random),
      truth: difference,
    }));
  const same = at(0);
  const rows = [
    shareRow(
      `${name}, ${changed * 100} % change: verdicts without a difference`,
      [same.verdicts, draws],
      { atMost: 0.06 },
    ),
    shareRow('  intervals that hold the difference 0', [same.covered, draws], { atLeast: 0.93 }),
  ];
  const difference = detectableOf({ count, changed });
  if (difference === null) return { rows, seen: [same] };
  const different = at(difference);
  return {
    rows: [
      ...rows,
      shareRow(
        `  intervals that hold the difference ${difference.toFixed(2)}`,
        [different.covered, draws],
        { atLeast: 0.93 },
      ),
      shareRow('  found at this, the detectable difference', [different.right, draws], {
        atLeast: 0.78,
        atMost: 0.88,
      }),
    ],
    seen: [same, different],
  };
}

/** The detectable difference of so many pairs of which this share changes, as in any large run. */
function detectableOf({ count, changed }: { count: number; changed: number }): number | null {
  const half = (count * changed) / 2;
  return detectablePassRateDifference(
    { both: count - 2 * half, candidateOnly: half, baselineOnly: half, neither: 0 },
    level,
  );
}

/** Pairs of which a share changes; of those that do not, two in three pass in both runs. */
export function drawPassOrFail(
  { count, changed, difference }: { count: number; changed: number; difference: number },
  random: Random,
): Omit<MetricPairs, 'level'> {
  const [baseline, candidate] = [new Float64Array(count), new Float64Array(count)];
  for (let pair = 0; pair < count; pair++) {
    const chance = random.uniform();
    const isGain = chance < (changed + difference) / 2;
    const isLoss = !isGain && chance < changed;
    const isPass = !isLoss && !isGain && random.uniform() < 2 / 3;
    baseline[pair] = Number(isLoss || isPass);
    candidate[pair] = Number(isGain || isPass);
  }
  return { outputType: 'boolean', baseline, candidate };
}
