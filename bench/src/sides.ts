import type { LoadResult, TimedResult } from './load.ts';
import {
  mebibytesText,
  microsecondsText,
  millisecondsText,
  type Row,
  rateText,
  ratioText,
} from './report.ts';
import { errorsOf, medianOf, ratioOf } from './rounds.ts';

interface Sides<Rounds> {
  question: string;
  measure: string;
  ours: Rounds[];
  baseline: Rounds[];
}

/** A row of two sides' rates; `items` are those of one request of both. */
export function rateRow({
  question,
  measure,
  ours,
  baseline,
  ratioMin,
  items = 1,
}: Sides<LoadResult> & { ratioMin?: number; items?: number }): Row {
  const ratio = ratioOf(ours, baseline, 'perSecond');
  return {
    question,
    measure,
    baseline: rateText(medianOf(baseline, 'perSecond') * items),
    ours: rateText(medianOf(ours, 'perSecond') * items),
    ratio: ratioText(ratio),
    ...(ratioMin === undefined
      ? {}
      : { reach: `≥ ${ratioMin.toFixed(1)} ×`, isReached: ratio >= ratioMin }),
    errors: errorsOf([...ours, ...baseline]),
  };
}

/** A row of two sides' latencies. */
export function timeRow({
  question,
  measure,
  ours,
  baseline,
  figure,
  ratioMax,
}: Sides<TimedResult> & { figure: 'p50Ms' | 'p99Ms'; ratioMax?: number }): Row {
  const ratio = ratioOf(ours, baseline, figure);
  return {
    question,
    measure,
    baseline: millisecondsText(medianOf(baseline, figure)),
    ours: millisecondsText(medianOf(ours, figure)),
    ratio: ratioText(ratio),
    ...(ratioMax === undefined
      ? {}
      : {
          reach: `≤ ${ratioMax.toFixed(1)} ×`,
          isReached: ratio <= ratioMax,
          errors: errorsOf([...ours, ...baseline]),
        }),
  };
}

/**
 * The rows of the processor time of a request of two sides, by all programs but the generator: none
 * where it cannot be looked at. It hardly moves where rates do.
 */
export function processorRows({
  question,
  ours,
  baseline,
}: Omit<Sides<LoadResult>, 'measure'>): Row[] {
  const [mine, theirs] = [ours.filter(hasProcessorTime), baseline.filter(hasProcessorTime)];
  if (mine.length === 0 || mine.length !== theirs.length) return [];
  return [
    {
      question,
      measure: '  processor time of a request',
      baseline: microsecondsText(medianOf(theirs, 'processorUs')),
      ours: microsecondsText(medianOf(mine, 'processorUs')),
      ratio: ratioText(ratioOf(mine, theirs, 'processorUs')),
    },
  ];
}

const hasProcessorTime = <Result extends LoadResult>(
  result: Result,
): result is Result & { processorUs: number } => result.processorUs !== undefined;

/** Returns a row of the memory of a process, at rest and at most. */
export const memoryRow = ({
  question,
  measure,
  resting,
  most,
  growthBytesMax,
}: {
  question: string;
  measure: string;
  resting: number;
  most: number;
  /** Bytes. */
  growthBytesMax: number;
}): Row => ({
  question,
  measure,
  baseline: mebibytesText(resting),
  ours: mebibytesText(most),
  reach: `≤ + ${mebibytesText(growthBytesMax)}`,
  isReached: most - resting <= growthBytesMax,
});
