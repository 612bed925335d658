import { calibratedMean } from '@assay/statistics/calibrated-mean';
import { midPMcNemar } from '@assay/statistics/proportions';
import { createRandom, defaultSeed, type Random } from '@assay/statistics/random';
import { passOrFail } from '../../bench/src/verdicts/calibrated.ts';
import { colours, curve, dot, line, picture, text } from './svg.ts';

/** Comparisons that are simulated for each number of testcases. */
const draws = 500;
const sizes = [100, 200, 350, 500, 750, 1000];
const labelsCount = 100;
const level = 0.95;

/** Two equally good systems, and a judge that overlooks more failures of the second one. */
const world = passOrFail([0.95, 0.9], [0.95, 0.78]);

/** Whether the judge alone, and corrected by people, see a difference where there is none. */
function compareOnce(count: number, random: Random): { alone: boolean; corrected: boolean } {
  const judged = new Float64Array(count);
  const labels = new Float64Array(count).fill(Number.NaN);
  const changed = { candidateOnly: 0, baselineOnly: 0 };
  for (let place = 0; place < count; place++) {
    const { judged: said, true: truth } = world(random);
    judged[place] = said[1] - said[0];
    if (place < labelsCount) labels[place] = truth[1] - truth[0];
    if (judged[place]! > 0) changed.candidateOnly++;
    else if (judged[place]! < 0) changed.baselineOnly++;
  }
  const { pValue } = calibratedMean(
    { judged, labels },
    { level, scale: { low: -1, high: 1 }, errorMax: 1 },
  );
  return { alone: midPMcNemar(changed) <= 1 - level, corrected: pValue <= 1 - level };
}

const [left, right, floor, ceiling] = [70, 450, 240, 80];

/** How often a judge that is kinder to one of two equal systems makes a false verdict. */
export function judgePicture(): string {
  const random = createRandom({ seed: defaultSeed });
  const x = (count: number) => left + ((right - left) * count) / 1000;
  const y = (share: number) => floor - (floor - ceiling) * share;
  const shares = sizes.map((count) => {
    const seen = Array.from({ length: draws }, () => compareOnce(count, random));
    return {
      count,
      alone: seen.filter(({ alone }) => alone).length / draws,
      corrected: seen.filter(({ corrected }) => corrected).length / draws,
    };
  });
  const lineOf = (kind: 'alone' | 'corrected', colour: string) => [
    curve(
      shares.map((each) => [x(each.count), y(each[kind])]),
      colour,
    ),
    ...shares.map((each) => dot(x(each.count), y(each[kind]), colour)),
  ];
  const last = shares.at(-1)!;
  const beside = (share: number, lines: string[], colour: string) =>
    lines.map((content, row) =>
      text(right + 14, y(share) - 4 + 17 * row, content, { colour, isBold: true }),
    );
  const percent = (share: number) => `${Math.round(100 * share)} %`;
  return picture('False verdicts of a judge that is kinder to one of two equal systems', [
    text(30, 26, 'Two equally good systems, and a judge that is kinder to one of them', {
      isBold: true,
    }),
    text(30, 44, 'How many of 100 comparisons call a winner, by the number of testcases:', {
      colour: colours.quiet,
    }),
    ...[0, 0.5, 1].flatMap((share) => [
      line([left, y(share)], [right, y(share)], { isDashed: share > 0 }),
      text(left - 10, y(share) + 4, percent(share), { anchor: 'end', colour: colours.quiet }),
    ]),
    ...[100, 500, 1000].map((count) =>
      text(x(count), floor + 20, count.toLocaleString('en-US'), {
        anchor: 'middle',
        colour: colours.quiet,
      }),
    ),
    ...lineOf('alone', colours.other),
    ...lineOf('corrected', colours.main),
    ...beside(last.alone, ['by the judge alone:', percent(last.alone)], colours.other),
    ...beside(
      last.corrected,
      ['corrected by people', `who scored 100: ${percent(last.corrected)}`],
      colours.main,
    ),
    text(30, 284, "More testcases make the judge's error surer. Its kappa is 0.85 and 0.75.", {
      colour: colours.quiet,
    }),
  ]);
}
