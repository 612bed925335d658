import type { Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { type Case, observe, shareRow } from './observe.ts';
import { normal } from './shapes.ts';

const sizeMax = 40;

/** The part of a pair that its group shares: half of its variance. */
const shapes = [
  { name: 'normal', draw: normal, isSkewed: false },
  { name: 'skewed', draw: (random: Random) => -Math.log(random.uniform()) - 1, isSkewed: true },
];

/** Groups of 1 to 40 pairs: at some topics the candidate is better, and on the whole neither. */
export function groupRows(draws: number, random: Random): Row[] {
  return shapes.flatMap(({ name, draw, isSkewed }) =>
    [10, 20, 50].flatMap((groupCount) => {
      const seen = observe(draws, () => drawCase(draw, groupCount, random));
      const isBarred = groupCount >= 20 && !isSkewed;
      return [
        shareRow(
          `float, ${groupCount} groups of 1 to ${sizeMax} pairs, ${name}: verdicts without a difference`,
          [seen.verdicts, draws],
          isBarred ? { atMost: 0.06 } : {},
        ),
        shareRow(
          '  intervals that hold the difference 0',
          [seen.covered, draws],
          isBarred ? { atLeast: 0.93 } : {},
        ),
        ...(groupCount === 20 ? [withoutGroups(draw, { draws, groupCount }, random)] : []),
      ];
    }),
  );
}

function withoutGroups(
  draw: (random: Random) => number,
  { draws, groupCount }: { draws: number; groupCount: number },
  random: Random,
): Row {
  const few = Math.ceil(draws / 3);
  const { verdicts } = observe(few, () => {
    const { pairs, truth } = drawCase(draw, groupCount, random);
    const { groups: _, ...alone } = pairs;
    return { pairs: alone, truth };
  });
  return shareRow('  verdicts without groupBy', [verdicts, few]);
}

function drawCase(draw: (random: Random) => number, groupCount: number, random: Random): Case {
  const [candidate, groups]: [number[], number[]] = [[], []];
  for (let group = 0; group < groupCount; group++) {
    const ofGroup = draw(random);
    const size = 1 + Math.floor(random.uniform() * sizeMax);
    for (let pair = 0; pair < size; pair++) {
      candidate.push(0.1 * (ofGroup + normal(random)));
      groups.push(group);
    }
  }
  const pairs = {
    outputType: 'float' as const,
    baseline: new Float64Array(candidate.length),
    candidate: Float64Array.from(candidate),
    groups: Int32Array.from(groups),
  };
  return { pairs, truth: 0 };
}
