import type { Random } from '@assay/statistics/random';
import { studentQuantile } from '@assay/statistics/student';
import { type Row, say } from '../report.ts';
import { level, type Observation, observe, shareRow } from './observe.ts';
import { deviationOf, type Shape, shapes } from './shapes.ts';

const counts = [20, 50, 200];
/** From so many pairs on, a comparison is drawn a fifth as often. */
const slowCount = 200;
/** The true differences, in standard errors. */
const distances = [0, 1, 2.8];
/** Those in which a detectable difference is asked of: their spread tells it. */
const detectedShapes = 3;

/** The guarded sign flips and the symmetric bootstrap-t, at each shape of differences. */
export function numberRows(drawsCount: number, random: Random): Row[] {
  const all: Observation[] = [];
  const rows = shapes.flatMap((shape, place) => {
    say(`    ${shape.name} …`);
    const deviation = deviationOf(shape);
    return counts.flatMap((count) => {
      const draws = count < slowCount ? drawsCount : Math.ceil(drawsCount / 5);
      const at = (distance: number) => {
        const truth = (distance * deviation) / Math.sqrt(count);
        const draw = shape.drawAt(truth);
        const { outputType } = shape;
        return observe(draws, () => ({
          truth,
          pairs: {
            outputType,
            baseline: new Float64Array(count),
            candidate: Float64Array.from({ length: count }, () => draw(random)),
          },
        }));
      };
      const seen = distances.map(at);
      all.push(...seen);
      const detected =
        place < detectedShapes
          ? [detectableRow(at(detectableDistance(count)), detectableDistance(count))]
          : [];
      return [...rowsOf(shape, count, seen), ...detected];
    });
  });
  const contradictions = all.reduce((sum, seen) => sum + seen.contradictions, 0);
  const draws = all.reduce((sum, seen) => sum + seen.draws, 0);
  return [
    ...rows,
    shareRow('all of these: intervals that contradict their verdict', [contradictions, draws], {
      atMost: 0.01,
    }),
  ];
}

function rowsOf({ name, isBeyondReach = false }: Shape, count: number, seen: Observation[]): Row[] {
  const [same, , far] = seen as [Observation, Observation, Observation];
  const least = Math.min(...seen.map(({ covered }) => covered));
  return [
    shareRow(
      `${name}, ${count} pairs: verdicts without a difference`,
      [same.verdicts, same.draws],
      isBeyondReach ? {} : { atMost: 0.06 },
    ),
    shareRow(
      `  intervals that hold the difference, the least at ${distances.join(', ')} standard errors`,
      [least, same.draws],
      isBeyondReach ? {} : { atLeast: 0.93 },
    ),
    shareRow(`  found at ${distances.at(-1)} standard errors`, [far.right, far.draws]),
  ];
}

/** Student's t of the level and of a power of 80 %. */
const detectableDistance = (count: number): number =>
  studentQuantile(1 - (1 - level) / 2, count - 1) + studentQuantile(0.8, count - 1);

const detectableRow = ({ right, draws }: Observation, distance: number): Row =>
  shareRow(`  found at ${distance.toFixed(2)}, the detectable difference`, [right, draws], {
    atLeast: 0.78,
    atMost: 0.88,
  });
