import { type ReactNode, useRef } from 'react';
import { formatCount } from '../text/format.ts';
import styles from './distribution.module.css';
import { useRovingFocus } from './roving-focus.ts';

export interface Bin {
  value?: number | boolean | undefined;
  low?: number | undefined;
  high?: number | undefined;
  count: number;
}

/** Of the booleans of a reversed metric, `true` is the bad one. */
function nameOf({ value, low, high }: Bin, isReversed: boolean): string {
  if (value === undefined) return `${edgeText(low)} to ${edgeText(high)}`;
  if (typeof value === 'number') return String(value);
  return value !== isReversed ? 'pass' : 'fail';
}

/** An edge with as many digits as small scales need: one, or four that count. */
const edgeText = (edge = 0): string =>
  Number.isInteger(edge * 10) ? edge.toFixed(1) : String(Number(edge.toPrecision(4)));

/** How often each value was given, as bars. Links on them are one stop of the Tab key. */
export function Distribution({
  bins,
  label,
  isReversed = false,
  linkOf = (_bin, name) => name,
}: {
  bins: Bin[];
  label: string;
  /** Less is better: of booleans `false` passes. */
  isReversed?: boolean | undefined;
  /** Makes the name of a bin a link to what is in it. */
  linkOf?: (bin: Bin, name: ReactNode) => ReactNode;
}) {
  const figure = useRef<HTMLElement>(null);
  const roving = useRovingFocus(figure);
  const most = Math.max(1, ...bins.map(({ count }) => count));
  return (
    <figure ref={figure} {...roving} className={styles.distribution} aria-label={label}>
      {bins.map((bin) => (
        <div
          key={nameOf(bin, isReversed)}
          className={styles.bin}
          title={`${nameOf(bin, isReversed)}: ${formatCount(bin.count)}`}
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
                {bin.low === undefined ? nameOf(bin, isReversed) : edgeText(bin.low)}
                <span className="for-screen-readers">: {formatCount(bin.count)}</span>
              </>,
            )}
          </span>
        </div>
      ))}
    </figure>
  );
}
