import type { ReactNode } from 'react';
import { formatCount } from '../text/format.ts';
import styles from './distribution.module.css';

export interface Bin {
  value?: number | boolean | undefined;
  low?: number | undefined;
  high?: number | undefined;
  count: number;
}

const nameOf = ({ value, low, high }: Bin): string =>
  value === undefined
    ? `${low?.toFixed(1)} to ${high?.toFixed(1)}`
    : value === true
      ? 'pass'
      : value === false
        ? 'fail'
        : String(value);

/** How often each value was given, as bars; a table for those who cannot see them. */
export function Distribution({
  bins,
  label,
  linkOf = (_bin, name) => name,
}: {
  bins: Bin[];
  label: string;
  /** Makes the name of a bin a link to what is in it. */
  linkOf?: (bin: Bin, name: ReactNode) => ReactNode;
}) {
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <figure className={styles.distribution} aria-label={label}>
      {bins.map((bin) => (
        <div
          key={nameOf(bin)}
          className={styles.bin}
          title={`${nameOf(bin)}: ${formatCount(bin.count)}`}
        >
          <svg viewBox="0 0 10 40" preserveAspectRatio="none" aria-hidden="true">
            <rect
              className={styles.bar}
              y={40 - (40 * bin.count) / most}
              width="10"
              height={(40 * bin.count) / most}
            />
          </svg>
          <span className={styles.name}>
            {linkOf(
              bin,
              <>
                {bin.low === undefined ? nameOf(bin) : bin.low.toFixed(1)}
                <span className="for-screen-readers">: {formatCount(bin.count)}</span>
              </>,
            )}
          </span>
        </div>
      ))}
    </figure>
  );
}
