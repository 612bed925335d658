import { type MetricValues, summarizeValues } from '@assay/results/metric-statistics';
import { createRandom, type Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { shareRow } from './observe.ts';
import { floatScore, intScore, normal } from './shapes.ts';

interface Population {
  name: string;
  outputType: MetricValues['outputType'];
  draw: (random: Random) => number;
}

const populations: Population[] = [
  { name: '1–5', outputType: 'int', draw: (random) => intScore(normal(random)) },
  {
    name: '1–5, 85 % are 5',
    outputType: 'int',
    draw: (random) => (random.uniform() < 0.85 ? 5 : 1 + Math.floor(4 * random.uniform())),
  },
  {
    name: 'float with a tail to 0',
    outputType: 'float',
    draw: (random) => floatScore(normal(random)),
  },
  {
    name: 'float, 90 % are 1',
    outputType: 'float',
    draw: (random) => (random.uniform() < 0.9 ? 1 : random.uniform()),
  },
  {
    name: 'boolean, means of four records',
    outputType: 'boolean',
    draw: (random) => {
      const chance = random.uniform();
      return [0, 1, 2, 3].filter(() => random.uniform() < chance).length / 4;
    },
  },
];

/** The intervals of summaries of few values, some of which do not vary at all. */
export function summaryRows(draws: number, random: Random): Row[] {
  return populations.flatMap((population) => {
    const truth = meanOf(population);
    return [5, 10, 20, 50].map((count) => {
      let covered = 0;
      for (let repeat = 0; repeat < draws; repeat++) {
        const values = Float64Array.from({ length: count }, () => population.draw(random));
        const { outputType } = population;
        const { confidenceInterval } = summarizeValues({
          outputType,
          passingThreshold: null,
          values,
        });
        const { low, high } = confidenceInterval!;
        if (low <= truth && truth <= high) covered++;
      }
      return shareRow(
        `summary of ${count} values, ${population.name}: intervals that hold the mean`,
        [covered, draws],
        count >= 20 ? { atLeast: 0.93 } : {},
      );
    });
  });
}

function meanOf({ draw }: Population): number {
  const random = createRandom({ seed: 1 });
  const count = 1_000_000;
  let sum = 0;
  for (let i = 0; i < count; i++) sum += draw(random);
  return sum / count;
}
