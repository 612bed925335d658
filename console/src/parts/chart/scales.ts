import { scaleLinear, scaleTime } from '@visx/scale';

/** A value at a time, such as the mean of a run. */
export interface ChartPoint {
  id: string;
  /** Milliseconds since 1970. */
  at: number;
  value: number;
  interval?: { low: number; high: number } | undefined;
  /** Stands beside the line: it cannot be compared with the others. */
  isHollow?: boolean;
  /** Why the line begins anew at this point. */
  change?: string | undefined;
  /** In words, for the pointer and for screen readers. */
  text: string;
}

export interface ChartSize {
  width: number;
  height: number;
}

/** The room beside the plot, in pixels: for the values on the left and the times below. */
export const margin = { left: 48, right: 12, top: 12, bottom: 22 };

/** The part of the values' span that stays free above and below. */
const air = 0.08;
/** The part of the time's span that stays free on both sides. */
const timeAir = 0.03;
const hourMs = 3_600_000;

/** The least and the greatest value to show: all points with their intervals, within the scale. */
export function valuesShown(
  points: readonly ChartPoint[],
  bounds: { low: number; high: number },
): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const { value, interval } of points) {
    low = Math.min(low, value, interval?.low ?? value);
    high = Math.max(high, value, interval?.high ?? value);
  }
  if (low > high) return [0, 1];
  const free = high === low ? Math.abs(high) * air || 0.5 : (high - low) * air;
  return [Math.max(bounds.low, low - free), Math.min(bounds.high, high + free)];
}

/** The times to show: those that are chosen, or else from before the first point to after the last. */
export function timesShown(
  points: readonly ChartPoint[],
  range: { from?: number | undefined; to?: number | undefined },
): [number, number] {
  if (range.from !== undefined && range.to !== undefined) return [range.from, range.to];
  const from = points[0]?.at ?? 0;
  const to = points.at(-1)?.at ?? 0;
  const free = from === to ? hourMs : (to - from) * timeAir;
  return [from - free, to + free];
}

/** The place of each time and value in pixels. */
export function scalesOf(
  { width, height }: ChartSize,
  { times, values }: { times: [number, number]; values: [number, number] },
) {
  return {
    x: scaleTime<number>({ domain: times, range: [margin.left, width - margin.right] }),
    y: scaleLinear<number>({ domain: values, range: [height - margin.bottom, margin.top] }),
  };
}

/** The place in the list of the point that is nearest to a time; −1 without points. Points are in order. */
export function nearestTo(points: readonly ChartPoint[], at: number): number {
  let nearest = -1;
  for (const [index, point] of points.entries())
    if (nearest < 0 || Math.abs(point.at - at) <= Math.abs(points[nearest]!.at - at))
      nearest = index;
  return nearest;
}

/** The points that a line connects: it begins anew where something changed. */
export function linesOf(points: readonly ChartPoint[]): ChartPoint[][] {
  const lines: ChartPoint[][] = [];
  for (const point of points) {
    if (point.isHollow) continue;
    const line = lines.at(-1);
    if (line && point.change === undefined) line.push(point);
    else lines.push([point]);
  }
  return lines;
}
