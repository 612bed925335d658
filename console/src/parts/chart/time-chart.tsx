import { Area, LinePath } from '@visx/shape';
import { useRef } from 'react';
import styles from './chart.module.css';
import { type ChartPoint, linesOf, margin, scalesOf, timesShown, valuesShown } from './scales.ts';
import { useChartPointer } from './use-chart-pointer.ts';
import { useWidth } from './use-width.ts';

const height = 168;
/** Pixels between two labels of the axis of time, at least. */
const tickWidth = 90;
/** Times of less than this are fractions of seconds, which tell nobody when it was. */
const momentMs = 10_000;

/**
 * Values over time as a line, with their intervals as a band. A point is opened by a click or Enter;
 * dragging chooses a span of time. Screen readers hear a slider whose values are the points.
 */
export function TimeChart({
  label,
  points,
  bounds,
  formatTick,
  range = {},
  onOpen,
  onSpan,
}: {
  label: string;
  /** In the order of time. */
  points: readonly ChartPoint[];
  /** The ends of the scale, which may be infinite. */
  bounds: { low: number; high: number };
  /** Writes a value beside its line. */
  formatTick: (value: number) => string;
  /** The time that was chosen, in milliseconds. */
  range?: { from?: number | undefined; to?: number | undefined };
  onOpen: (point: ChartPoint) => void;
  onSpan?: (from: number, to: number) => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  const width = useWidth(box, 320);
  const { x, y } = scalesOf(
    { width, height },
    { times: timesShown(points, range), values: valuesShown(points, bounds) },
  );
  const pointer = useChartPointer({ points, x, width, onOpen, onSpan });
  const chosen = points[pointer.chosen];
  return (
    <div
      ref={box}
      className={styles.chart}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={Math.max(1, points.length)}
      aria-valuenow={pointer.chosen >= 0 ? pointer.chosen + 1 : Math.max(1, points.length)}
      aria-valuetext={(chosen ?? points.at(-1))?.text ?? 'No points'}
      {...pointer.handlers}
    >
      <svg width={width} height={height} aria-hidden="true">
        <Axes x={x} y={y} width={width} formatTick={formatTick} />
        {linesOf(points).map((line) => (
          <g key={line[0]!.id}>
            <Area
              className={styles.band}
              data={line}
              x={({ at }) => x(at)}
              y0={({ value, interval }) => y(interval?.low ?? value)}
              y1={({ value, interval }) => y(interval?.high ?? value)}
            />
            <LinePath
              className={styles.line}
              data={line}
              x={({ at }) => x(at)}
              y={({ value }) => y(value)}
            />
          </g>
        ))}
        {points.map((point) => (
          <Mark key={point.id} point={point} x={x(point.at)} y={y(point.value)} />
        ))}
        {pointer.span && (
          <rect
            className={styles.span}
            x={pointer.span[0]}
            width={pointer.span[1] - pointer.span[0]}
            y={margin.top}
            height={height - margin.top - margin.bottom}
          />
        )}
        {chosen && (
          <circle className={styles.chosen} cx={x(chosen.at)} cy={y(chosen.value)} r={6} />
        )}
      </svg>
      {chosen && !pointer.span && (
        <p className={x(chosen.at) > width / 2 ? styles.tipLeft : styles.tip} aria-hidden="true">
          {chosen.text}
        </p>
      )}
    </div>
  );
}

type Scales = ReturnType<typeof scalesOf>;

/** Three values on the left with a line each, and times below. */
function Axes({
  x,
  y,
  width,
  formatTick,
}: Scales & { width: number; formatTick: (value: number) => string }) {
  const [from, to] = x.domain() as [Date, Date];
  const times = +to - +from < momentMs ? [] : x.ticks(Math.max(1, Math.floor(width / tickWidth)));
  const writeTime = x.tickFormat();
  return (
    <g className={styles.axis}>
      {y.ticks(3).map((value) => (
        <g key={value}>
          <line x1={margin.left} x2={width - margin.right} y1={y(value)} y2={y(value)} />
          <text x={margin.left - 6} y={y(value)} dy="0.32em" textAnchor="end">
            {formatTick(value)}
          </text>
        </g>
      ))}
      {times.map((time) => (
        <text key={+time} x={x(time)} y={height - 6} textAnchor="middle">
          {writeTime(time)}
        </text>
      ))}
    </g>
  );
}

/** A point: a ring where it stands beside the line, with a dashed line where something changed. */
function Mark({ point, x, y }: { point: ChartPoint; x: number; y: number }) {
  return (
    <g>
      {point.change !== undefined && (
        <line className={styles.change} x1={x} x2={x} y1={margin.top} y2={height - margin.bottom} />
      )}
      <circle
        className={point.isHollow ? styles.hollow : styles.point}
        cx={x}
        cy={y}
        r={point.isHollow ? 3.5 : 2.5}
      />
    </g>
  );
}
