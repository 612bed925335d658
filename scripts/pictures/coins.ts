import { logFactorial } from '@assay/statistics/binomial';
import { bar, colours, line, picture, text } from './svg.ts';

/** GSM8K's two models of docs/reading-a-comparison.md: testcases that only one of them solved. */
const improved = 152;
const regressed = 209;

const [left, right, floor, ceiling] = [30, 610, 236, 70];
const [least, most] = [140, 221];

/** How often so many of these coins show heads. */
function chanceOf(heads: number, coins: number): number {
  const ways = logFactorial(coins) - logFactorial(heads) - logFactorial(coins - heads);
  return Math.exp(ways - coins * Math.LN2);
}

/** The splits that luck alone gives, beside the one that was seen. */
export function coinsPicture(): string {
  const coins = improved + regressed;
  const width = (right - left) / (most - least + 1);
  const x = (heads: number) => left + (heads - least) * width;
  const highest = chanceOf(Math.floor(coins / 2), coins);
  const bars = Array.from({ length: most - least + 1 }, (_, index) => {
    const heads = least + index;
    const height = ((floor - ceiling) * chanceOf(heads, coins)) / highest;
    const isAsUneven = heads <= improved || heads >= regressed;
    return bar(x(heads), floor - height, {
      width: width - 1,
      height,
      colour: isAsUneven ? colours.other : colours.main,
    });
  });
  const tick = (heads: number) =>
    text(x(heads) + width / 2, floor + 18, `${heads} : ${coins - heads}`, {
      anchor: 'middle',
      colour: colours.quiet,
    });
  const seen = x(improved) + width / 2;
  return picture('What luck alone does with 361 changed testcases', [
    text(left, 26, `${coins} testcases changed. If both models were equally good,`, {
      isBold: true,
    }),
    text(left, 44, 'each change would be a coin toss, and these would be the splits:', {
      isBold: true,
    }),
    ...bars,
    line([left, floor], [right, floor], { colour: colours.quiet }),
    tick(improved),
    tick(166),
    tick(180),
    tick(195),
    tick(regressed),
    line([seen, floor - 60], [seen, floor - 6], { colour: colours.other, width: 2 }),
    text(seen - 14, floor - 84, `${improved} : ${regressed}`, {
      colour: colours.other,
      isBold: true,
    }),
    text(seen - 14, floor - 68, 'was seen', { colour: colours.other }),
    text(left, 284, 'Splits as uneven as that come up 3 times in 1,000: so it is hardly luck.', {
      colour: colours.quiet,
    }),
  ]);
}
