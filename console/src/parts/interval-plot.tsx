import styles from './interval-plot.module.css';

interface PlotProps {
  difference: number;
  low: number;
  high: number;
  /** What these pairs could have found; shaded around zero. */
  detectable: number | null;
  /** Half of the plot's width, in the metric's unit: the same for all plots of one unit. */
  reach: number;
  /** The plot in words. */
  label: string;
}

const width = 240;
const height = 24;

/**
 * An estimate with its interval on a line through zero. Whatever lies within the shaded part is too
 * small for these pairs to find.
 */
export function IntervalPlot({ difference, low, high, detectable, reach, label }: PlotProps) {
  const at = (value: number) =>
    width / 2 + (Math.max(-reach, Math.min(reach, value)) / reach) * (width / 2 - 8);
  const side = low > 0 ? styles.better : high < 0 ? styles.worse : styles.undecided;
  return (
    <svg
      className={`${styles.plot} ${side}`}
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
    >
      {detectable !== null && (
        <rect
          className={styles.detectable}
          x={at(-detectable)}
          width={at(detectable) - at(-detectable)}
          y="2"
          height={height - 4}
        />
      )}
      <line className={styles.zero} x1={at(0)} x2={at(0)} y1="0" y2={height} />
      <line
        className={styles.interval}
        x1={at(low)}
        x2={at(high)}
        y1={height / 2}
        y2={height / 2}
      />
      <line className={styles.interval} x1={at(low)} x2={at(low)} y1="8" y2="16" />
      <line className={styles.interval} x1={at(high)} x2={at(high)} y1="8" y2="16" />
      <circle className={styles.estimate} cx={at(difference)} cy={height / 2} r="4.5" />
    </svg>
  );
}
