import { newcombePairedInterval } from '@assay/statistics/proportions';
import { colours, dot, line, picture, text } from './svg.ts';

const [left, right, top, step] = [150, 545, 92, 38];
const [lowest, highest] = [-25, 15];
const sizes = [50, 100, 200, 500, 1319];

/** The interval of the same difference, told by more and more testcases. */
export function certaintyPicture(): string {
  const x = (points: number) => left + ((points - lowest) / (highest - lowest)) * (right - left);
  const rows = sizes.flatMap((count, row) => {
    const y = top + row * step;
    const share = (of: number) => (count * of) / 1319;
    const interval = newcombePairedInterval({
      both: share(306),
      candidateOnly: share(152),
      baselineOnly: share(209),
      neither: share(652),
      level: 0.95,
    })!;
    const [low, high] = [interval.low * 100, interval.high * 100];
    const colour = high < 0 ? colours.other : colours.main;
    return [
      text(left - 16, y + 4, `${count.toLocaleString('en-US')} testcases`, { anchor: 'end' }),
      line([x(low), y], [x(high), y], { colour, width: 4 }),
      dot(x(((152 - 209) / 1319) * 100), y, colour),
      text(right + 8, y + 4, high < 0 ? 'worse' : 'undecided', { colour }),
    ];
  });
  const floor = top + sizes.length * step - 12;
  const ticks = [-20, -10, 0, 10].flatMap((points) => [
    line([x(points), top - 20], [x(points), floor], {
      colour: points === 0 ? colours.quiet : colours.line,
      isDashed: points !== 0,
    }),
    text(
      x(points),
      floor + 18,
      points === 0 ? 'equal' : `${points > 0 ? '+' : '−'}${Math.abs(points)}`,
      {
        anchor: 'middle',
        colour: colours.quiet,
      },
    ),
  ]);
  return picture('How sure a difference of −4.3 points is, by the number of testcases', [
    text(30, 26, 'The same difference, −4.3 points, told by more and more testcases', {
      isBold: true,
    }),
    text(30, 44, 'The true difference is somewhere on the bar, 95 times in 100.', {
      colour: colours.quiet,
    }),
    ...ticks,
    ...rows,
  ]);
}
