import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { countOf, formatDuration, visible } from '../../text/format.ts';
import { SpanKind } from './span-kind.tsx';
import {
  hasFailed,
  type ListedSpan,
  nextFailed,
  shownRows,
  type TreeSpan,
  unfoldedTo,
} from './span-tree.ts';
import { barOf, marksOf, scaleOf, type TimeScale } from './timeline.ts';
import styles from './trace.module.css';

/** In pixels. */
const rowHeight = 28;
/** Deeper spans are not moved further to the right: their names would leave the view. */
const depthMax = 16;

interface SpansProps {
  tree: TreeSpan[];
  spans: ListedSpan[];
  isTimeline: boolean;
  /** The place in the tree of the span that is chosen. */
  chosen: number;
  choose: (span: ListedSpan) => void;
}

/** The spans of a trace, each below its parent, as a tree or along the time; only rows in view exist. */
export function Spans({ tree, spans, isTimeline, chosen, choose }: SpansProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => shownRows(tree, folded), [tree, folded]);
  const scale = useMemo(() => scaleOf(spans), [spans]);
  const virtualizer = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const row = rows.indexOf(chosen);
  // A span that a link, a key or another page has chosen may be out of view, or folded away.
  useEffect(() => {
    if (row >= 0) virtualizer.scrollToIndex(row, { align: 'auto' });
    else if (tree[chosen]) setFolded((before) => unfoldedTo(tree, before, chosen));
  }, [row, tree, chosen, virtualizer]);

  const goTo = (to: number) => {
    const place = rows[Math.max(0, Math.min(to, rows.length - 1))];
    if (place !== undefined) choose(tree[place]!.span);
  };
  const fold = ({ span: { spanId }, end }: TreeSpan, place: number, isFolded: boolean) => {
    if (end === place + 1) return;
    const after = new Set(folded);
    if (isFolded) after.add(spanId);
    else after.delete(spanId);
    // A span that is folded away is not chosen any more: the one above it is.
    if (isFolded && chosen > place && chosen < end) choose(tree[place]!.span);
    setFolded(after);
  };
  const hasError = tree.some(hasFailed);
  useShortcuts({
    nextSpan: () => goTo(row + 1),
    previousSpan: () => goTo(row - 1),
    ...(hasError ? { nextError: () => choose(tree[nextFailed(tree, chosen)]!.span) } : {}),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const now = tree[chosen];
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const isFolded = now !== undefined && folded.has(now.span.spanId);
    const to = rowAfter(event.key, { row, last: rows.length - 1, page });
    if (to !== undefined) goTo(to);
    else if (event.key === 'ArrowRight') {
      if (isFolded) fold(now, chosen, false);
      else goTo(row + 1);
    } else if (event.key === 'ArrowLeft') {
      if (now && !isFolded && now.end > chosen + 1) fold(now, chosen, true);
      else goTo(rows.indexOf(parentOf(tree, chosen)));
    } else return;
    event.preventDefault();
  };
  return (
    <div
      ref={scroller}
      role="tree"
      aria-label="Spans"
      aria-activedescendant={row >= 0 ? `span-${row}` : undefined}
      tabIndex={0}
      className={styles.spans}
      data-timeline={isTimeline || undefined}
      onKeyDown={onKeyDown}
    >
      {isTimeline && <Marks scale={scale} />}
      <div role="none" className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        {virtualizer.getVirtualItems().map(({ index, start }) => {
          const place = rows[index]!;
          const one = tree[place]!;
          return (
            <Row
              key={place}
              id={`span-${index}`}
              one={one}
              isParent={one.end > place + 1}
              isFolded={folded.has(one.span.spanId)}
              isChosen={place === chosen}
              start={start}
              scale={isTimeline ? scale : undefined}
              hidden={one.end - place - 1}
              choose={() => choose(one.span)}
              fold={(isFolded) => fold(one, place, isFolded)}
            />
          );
        })}
      </div>
    </div>
  );
}

/** The row to which a key leads. */
const rowAfter = (
  key: string,
  { row, last, page }: { row: number; last: number; page: number },
): number | undefined =>
  ({
    ArrowDown: row + 1,
    ArrowUp: row - 1,
    PageDown: row + page,
    PageUp: row - page,
    Home: 0,
    End: last,
  })[key];

/** The place of the span above another one; its own at the root. */
function parentOf(tree: TreeSpan[], place: number): number {
  const depth = tree[place]?.depth ?? 0;
  for (let at = place - 1; at >= 0; at -= 1) if (tree[at]!.depth < depth) return at;
  return place;
}

const looseTexts = {
  missing: 'Its parent has not come: it stands at the root.',
  cycle: 'Its parents lead back to itself: it stands at the root.',
};

interface RowProps {
  id: string;
  one: TreeSpan;
  isParent: boolean;
  isFolded: boolean;
  isChosen: boolean;
  /** In pixels from the top. */
  start: number;
  /** Of the timeline, where there is one. */
  scale: TimeScale | undefined;
  /** How many spans are hidden when it is folded. */
  hidden: number;
  choose: () => void;
  fold: (isFolded: boolean) => void;
}

function Row({
  id,
  one,
  isParent,
  isFolded,
  isChosen,
  start,
  scale,
  hidden,
  choose,
  fold,
}: RowProps) {
  const { span, depth, looseBy, errorsBelow } = one;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: The tree hears the keys.
    <div
      id={id}
      role="treeitem"
      tabIndex={-1}
      aria-level={depth + 1}
      aria-expanded={isParent ? !isFolded : undefined}
      aria-selected={isChosen}
      className={`${styles.row} ${scale ? styles.onTimeline : ''} ${isChosen ? styles.chosen : ''}`}
      style={{ transform: `translateY(${start}px)` }}
      onClick={choose}
    >
      <span className={styles.name} style={{ paddingInlineStart: Math.min(depth, depthMax) * 14 }}>
        <span
          className={styles.arrow}
          aria-hidden="true"
          onClick={(event) => {
            if (!isParent) return;
            event.stopPropagation();
            fold(!isFolded);
          }}
        >
          {isParent ? (isFolded ? '▸' : '▾') : ''}
        </span>
        {looseBy && (
          <span className={styles.loose} title={looseTexts[looseBy]}>
            <span aria-hidden="true">⤴</span>
            <span className="for-screen-readers">{looseTexts[looseBy]}</span>
          </span>
        )}
        <SpanKind span={span} />
        <span className={styles.spanName} title={visible(span.name)}>
          {visible(span.name) || 'without a name'}
        </span>
        {isFolded && <span className={styles.soft}>+{hidden}</span>}
        {hasFailed(one) && <span className={styles.error}>! error</span>}
        {isFolded && errorsBelow > 0 && (
          <span className={styles.error}>! {countOf(errorsBelow, 'error')} below</span>
        )}
      </span>
      {scale && <Bar span={span} scale={scale} />}
      <span className={styles.took}>{formatDuration(span.durationMs)}</span>
    </div>
  );
}

function Bar({ span, scale }: { span: ListedSpan; scale: TimeScale }) {
  const { from, width } = barOf(span, scale);
  return (
    <span className={styles.lane}>
      <span
        className={styles.bar}
        data-operation={span.operation}
        data-status={span.status}
        style={{ insetInlineStart: `${from * 100}%`, width: `${width * 100}%` }}
      />
    </span>
  );
}

/** The times above the bars. */
const Marks = ({ scale }: { scale: TimeScale }) => (
  <div role="none" className={`${styles.marks} ${styles.onTimeline}`}>
    <span />
    <span className={styles.lane}>
      {marksOf(scale)
        .filter((ms) => ms / scale.length < 0.95)
        .map((ms) => (
          <span
            key={ms}
            className={styles.mark}
            style={{ insetInlineStart: `${(ms / scale.length) * 100}%` }}
          >
            {formatDuration(ms)}
          </span>
        ))}
    </span>
    <span />
  </div>
);
