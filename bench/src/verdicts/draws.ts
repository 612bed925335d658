import { calibrate } from '@assay/results/calibration';
import { decide } from '@assay/results/comparison/verdict';
import { type LabelledUnit, labelPlan } from '@assay/statistics/label-plan';
import { drawByPriority, inclusionProbability } from '@assay/statistics/priority-sample';
import type { Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { passOrFail } from './calibrated.ts';
import { level, shareRow } from './observe.ts';

const testcasesCount = 1000;
const weightOfChanged = 3;
/** Testcases of the first draw, of the second, and of a third that is foretold. */
const drawnCounts = [40, 40, 20];
/** How far the foretold reach may be from the one found, on average. */
const foretoldWithin = { least: 0.9, most: 1.1 };

const drawTestcase = passOrFail([0.95, 0.9], [0.95, 0.78]);

interface Unit {
  testcaseId: string;
  judged: number;
  people: number;
  weight: number;
  random: number;
}

/**
 * Equal systems, a judge that is kinder to the candidate, and labels that several draws have asked
 * for, one after the other, as `POST /label-draws` does.
 */
export function drawRows(draws: number, random: Random): Row[] {
  let [verdicts, covered, foretold, found] = [0, 0, 0, 0];
  for (let repeat = 0; repeat < draws; repeat++) {
    const units = Array.from({ length: testcasesCount }, (_, place): Unit => {
      const { judged, true: truth } = drawTestcase(random);
      const difference = judged[1] - judged[0];
      return {
        testcaseId: String(place),
        judged: difference,
        people: truth[1] - truth[0],
        weight: difference === 0 ? 1 : weightOfChanged,
        random: random.uniform(),
      };
    });
    let drawn = new Map<Unit, number>();
    for (const [round, count] of drawnCounts.entries()) {
      if (round === drawnCounts.length - 1) foretold += foretell(units, drawn, count);
      drawn = drawMore(units, drawn, count);
    }
    const { figures } = calibrate(
      units.map((unit) => ({ ...unit, label: drawn.has(unit) ? unit.people : undefined })),
      {
        level,
        scale: { low: -1, high: 1 },
        errorMax: 1,
        probabilities: new Map([...drawn].map(([unit, chance]) => [unit.testcaseId, chance])),
      },
    );
    const { interval, pValue, estimate } = figures!;
    found += (interval.high - interval.low) / 2;
    if (decide([{ pValue, difference: estimate }], level)[0]!.verdict !== 'undecided') verdicts++;
    if (interval.low <= 0 && interval.high >= 0) covered++;
  }
  const labels = drawnCounts.reduce((sum, count) => sum + count, 0);
  const name = `a judge that is kinder to the candidate, ${labels} labels of ${drawnCounts.length} draws`;
  const ratio = foretold / found;
  return [
    shareRow(`${name}: false verdicts`, [verdicts, draws], { atMost: 0.06 }),
    shareRow('  intervals that hold the truth', [covered, draws], { atLeast: 0.94 }),
    {
      question: 'verdicts',
      measure: '  how far the interval reaches, as foretold before the last 20 / as found',
      ours: ratio.toFixed(2),
      reach: `${foretoldWithin.least} to ${foretoldWithin.most}`,
      isReached: ratio >= foretoldWithin.least && ratio <= foretoldWithin.most,
    },
  ];
}

function drawMore(units: Unit[], drawn: Map<Unit, number>, count: number): Map<Unit, number> {
  const rest = units.filter((unit) => !drawn.has(unit));
  const { places, threshold } = drawByPriority(rest, count);
  const all = [...drawn.keys(), ...places.map((place) => rest[place]!)];
  return new Map(all.map((unit) => [unit, inclusionProbability(unit.weight, threshold)]));
}

function foretell(units: Unit[], drawn: Map<Unit, number>, count: number): number {
  const labelled = [...drawn].map(
    ([unit, probability]): LabelledUnit => ({ ...unit, probability }),
  );
  const { withMore } = labelPlan(
    {
      judged: units.map(({ judged }) => judged),
      weights: units.map(({ weight }) => weight),
      labelled,
      assumedError: 0.3,
    },
    count,
  );
  return withMore!;
}
