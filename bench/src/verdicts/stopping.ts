import { scaleOfDifferences } from '@assay/results/comparison/pairs';
import { anytimeMean } from '@assay/statistics/anytime-mean';
import { anytimePassRateTest } from '@assay/statistics/anytime-proportions';
import type { Random } from '@assay/statistics/random';
import { gatherUnits } from '@assay/statistics/units';
import type { Row } from '../report.ts';
import { level, shareRow } from './observe.ts';
import { deviationOf, type Shape, shapes } from './shapes.ts';

/** The pairs of a whole testset, and how many more there are at each look. */
const pairsMax = 400;
const lookEvery = 20;
/** Twice the difference that these pairs detect, in standard errors of all of them. */
const twiceDetectable = 2 * 2.8;
const changes = [0.1, 0.3, 0.6];

type Draw = () => number;
/** The p-value of the differences so far. */
type Look = (differences: readonly number[]) => number;

/** Looks again and again while pairs are added: how often one errs, and how early one knows. */
export function stoppingRows(draws: number, random: Random): Row[] {
  return [
    ...changes.flatMap((changed) => passRateRows({ changed, draws }, random)),
    ...shapes.flatMap((shape) => shapeRows({ shape, draws }, random)),
  ];
}

function passRateRows(
  { changed, draws }: { changed: number; draws: number },
  random: Random,
): Row[] {
  const draw = (difference: number) => () => {
    const chance = random.uniform();
    if (chance < (changed + difference) / 2) return 1;
    return chance < changed ? -1 : 0;
  };
  const look: Look = (differences) => {
    const candidateOnly = differences.filter((difference) => difference > 0).length;
    const baselineOnly = differences.filter((difference) => difference < 0).length;
    return anytimePassRateTest({ candidateOnly, baselineOnly });
  };
  const difference = Math.min(changed, twiceDetectable * Math.sqrt(changed / pairsMax));
  return rowsOf({
    name: `boolean, ${changed * 100} % change`,
    draws,
    look,
    same: draw(0),
    different: draw(difference),
    isBeyondReach: false,
  });
}

function shapeRows({ shape, draws }: { shape: Shape; draws: number }, random: Random): Row[] {
  const { name, outputType, drawAt, isBeyondReach = false } = shape;
  const scale = scaleOfDifferences({ outputType });
  const [same, different] = [0, (twiceDetectable * deviationOf(shape)) / Math.sqrt(pairsMax)].map(
    (difference) => {
      const draw = drawAt(difference);
      return () => draw(random);
    },
  ) as [Draw, Draw];
  const look: Look = (differences) =>
    differences.length < 2
      ? 1
      : anytimeMean(gatherUnits({ values: differences })!, { scale, level }).pValue;
  return rowsOf({ name, draws, look, same, different, isBeyondReach });
}

function rowsOf({
  name,
  draws,
  look,
  same,
  different,
  isBeyondReach,
}: {
  name: string;
  draws: number;
  look: Look;
  same: Draw;
  different: Draw;
  isBeyondReach: boolean;
}): Row[] {
  const bar = isBeyondReach ? {} : { atMost: 0.05 };
  const few = Math.ceil(draws / 3);
  const found = follow({ draws, look, draw: different, every: lookEvery });
  return [
    shareRow(
      `looks each ${lookEvery} of ${pairsMax} pairs, ${name}: ever a verdict without a difference`,
      [follow({ draws, look, draw: same, every: lookEvery }).decided, draws],
      bar,
    ),
    shareRow(
      '  looks at each pair',
      [follow({ draws: few, look, draw: same, every: 1 }).decided, few],
      bar,
    ),
    shareRow('  found at twice the detectable difference', [found.decided, draws]),
    // Shares of whole runs, whose variance is at most that of so many coins.
    shareRow('  pairs that need no judge there', [draws - found.pairs / pairsMax, draws], {
      atLeast: 0.5,
    }),
  ];
}

/** Adds pairs and looks, until it is decided or there are no more. */
function follow({
  draws,
  look,
  draw,
  every,
}: {
  draws: number;
  look: Look;
  draw: Draw;
  every: number;
}): { decided: number; pairs: number } {
  const seen = { decided: 0, pairs: 0 };
  for (let repeat = 0; repeat < draws; repeat++) {
    const differences: number[] = [];
    let isDecided = false;
    while (!isDecided && differences.length < pairsMax) {
      for (let pair = 0; pair < every; pair++) differences.push(draw());
      isDecided = look(differences) <= 1 - level;
    }
    seen.decided += Number(isDecided);
    seen.pairs += differences.length;
  }
  return seen;
}
