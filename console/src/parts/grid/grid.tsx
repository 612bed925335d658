import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { List } from '../../api/list.ts';
import { formatCount } from '../../text/format.ts';
import { Problem } from '../problem.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { type Action, ActionMenu, openMenu } from './action-menu.tsx';
import { ColumnMenu } from './column-menu.tsx';
import { type Column, useColumns } from './columns.ts';
import { type Density, DensityChoice, densities, useDensity } from './density.tsx';
import styles from './grid.module.css';
import { Head } from './head.tsx';
import { Row } from './row.tsx';
import type { Selection } from './selection.ts';

interface GridProps<Item> {
  /** Under which a person's columns are kept. */
  name: string;
  /** Its name for a screen reader. */
  label: string;
  /** The name of one row, such as `run`. */
  noun: string;
  list: List<Item>;
  columns: Column<Item>[];
  idOf: (item: Item) => string;
  /** Opens a row: by a click, or by Enter. */
  open?: (item: Item) => void;
  selection?: Selection;
  /** What can be done with the rows that are selected. */
  actions?: Action[];
  /** The panel beside the rows, which shows one of them without leaving the list. */
  peek?: Peek;
  /** What the row is called where it is selected. */
  nameOf: (item: Item) => string;
  /** Shown above the rows, beside their count. */
  tools?: ReactNode;
  /** Shown in place of the rows where there are none. */
  empty: ReactNode;
  /** How high rows are until a person chooses. */
  density?: Density;
}

interface Peek {
  /** The row that is shown; undefined where the panel is closed. */
  id: string | undefined;
  show: (id: string | undefined) => void;
  panel: ReactNode;
}

/** A list of any length: rows of one height, of which only those in view exist. */
export function Grid<Item>(props: GridProps<Item>) {
  const { name, label, list, idOf, nameOf, open, selection, tools, empty, peek } = props;
  const columns = useColumns(name, props.columns);
  const [density, chooseDensity] = useDensity(props.density ?? 'low');
  const rowHeight = densities[density].height;
  const scroller = useRef<HTMLDivElement>(null);
  const actionsButton = useRef<HTMLButtonElement>(null);
  const [active, setActive] = useState(0);
  const virtualizer = useVirtualizer({
    count: list.rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: All rows change their height at once.
  useEffect(() => virtualizer.measure(), [rowHeight]);
  const inView = virtualizer.getVirtualItems();
  const first = inView[0]?.index ?? 0;
  const last = inView.at(-1)?.index ?? 0;
  const { show } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` changes with each rendering.
  useEffect(() => show(first, last), [first, last, list.rows]);

  const idAt = (row: number) => {
    const item = list.itemAt(row);
    return item === undefined ? undefined : idOf(item);
  };
  // The panel follows the rows that a person walks; a row that is still being read, when it is there.
  const isFollowing = useRef(false);
  useEffect(() => {
    const id = idAt(active);
    if (!isFollowing.current || !peek?.id || id === undefined) return;
    isFollowing.current = false;
    if (id !== peek.id) peek.show(id);
  });
  const goTo = (row: number) => {
    const bounded = Math.max(0, Math.min(row, list.rows - 1));
    isFollowing.current = true;
    setActive(bounded);
    virtualizer.scrollToIndex(bounded, { align: 'auto' });
    const focusRow = () => {
      const shown = scroller.current?.querySelector<HTMLElement>(`[data-row="${bounded}"]`);
      shown?.focus();
      return shown != null && shown === document.activeElement;
    };
    // At once where that is possible: the next key may come before the next frame. A row that is
    // not there yet, or behind a dialog that closes, takes the focus then.
    if (!focusRow()) requestAnimationFrame(focusRow);
    return bounded;
  };
  const select = (row: number, isRange: boolean) => {
    const id = idAt(row);
    if (!isRange && id !== undefined) selection?.toggle(row, id);
    const start = { row: active, id: idAt(active) ?? '' };
    const read = async (from: number, to: number) => (await list.read(from, to)).map(idOf);
    if (isRange) void selection?.extend(row, { start, read });
  };
  const [isReadingToEnd, setReadingToEnd] = useState(false);
  const [goal, setGoal] = useState<number>();
  const goToEnd = () => {
    setReadingToEnd(true);
    void list
      .readToEnd()
      .then((rows) => setGoal(rows - 1))
      .catch(list.retry)
      .finally(() => setReadingToEnd(false));
  };
  // The list is drawn with its new rows first, then scrolled, and then the row is there.
  useEffect(() => {
    if (goal === undefined) return;
    // Other filters were chosen meanwhile: the end of these rows is not wanted any more.
    if (goal < 0 || list.isLoading || list.isStale) return setGoal(undefined);
    if (goal >= list.rows) return;
    goTo(goal);
    if (scroller.current?.querySelector(`[data-row="${goal}"]`)) setGoal(undefined);
  });
  /** A handler of keys that mean the row with the focus: without one they are the browser's. */
  const onRow = (handle: () => void) => () => {
    if (!hasFocus(scroller)) return false;
    handle();
    return true;
  };
  useShortcuts({
    nextRow: () => goTo(hasFocus(scroller) ? active + 1 : active),
    previousRow: () => goTo(hasFocus(scroller) ? active - 1 : active),
    ...(open
      ? {
          open: onRow(() => {
            const item = list.itemAt(active);
            if (item !== undefined) open(item);
          }),
        }
      : {}),
    ...(selection
      ? {
          select: onRow(() => select(active, false)),
          selectNext: onRow(() => select(goTo(active + 1), true)),
          selectPrevious: onRow(() => select(goTo(active - 1), true)),
        }
      : {}),
    ...(selection && props.actions
      ? {
          actions: () => {
            // Where no row is selected, the one with the focus is meant.
            if (selection.ids.size === 0 && hasFocus(scroller))
              flushSync(() => select(active, false));
            openMenu(actionsButton.current);
          },
        }
      : {}),
    ...(peek
      ? {
          peek: onRow(() => {
            const id = idAt(active);
            peek.show(id === peek.id ? undefined : id);
          }),
        }
      : {}),
    ...(peek?.id
      ? {
          up: () => {
            // What is open above the page is closed first, by the browser.
            if (document.querySelector(':popover-open')) return false;
            peek.show(undefined);
            return true;
          },
        }
      : {}),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    if (event.key === 'End' && !list.isComplete && !hasModifier(event)) {
      event.preventDefault();
      goToEnd();
      return;
    }
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: list.rows - 1,
    }[event.key];
    if (to === undefined || hasModifier(event)) return;
    event.preventDefault();
    goTo(to);
  };

  if (list.error && list.rows === 0) return <Problem error={list.error} retry={list.retry} />;
  const error = list.error ?? selection?.error;
  return (
    <div className={styles.whole}>
      <div className={styles.tools}>
        <p className={styles.count} role="status">
          {isReadingToEnd ? 'Reading to the end …' : countText(props, { first, last })}
          {selectionText(props, rowsInView(virtualizer, rowHeight))}
        </p>
        {tools}
        {selection && props.actions && (
          <ActionMenu
            actions={props.actions}
            count={selection.ids.size}
            button={actionsButton}
            onClose={() => goTo(active)}
          />
        )}
        <DensityChoice density={density} choose={chooseDensity} />
        <ColumnMenu columns={columns} />
      </div>
      {error && <Problem error={error} retry={list.retry} />}
      {!list.isLoading && list.rows === 0 ? (
        empty
      ) : (
        <div className={styles.body}>
          <div
            ref={scroller}
            className={`${styles.scroller} ${styles[density] ?? ''}`}
            role="grid"
            aria-label={label}
            aria-rowcount={totalOf(list) === undefined ? -1 : totalOf(list)! + 1}
            aria-colcount={columns.shown.length + (selection ? 1 : 0)}
            aria-multiselectable={selection ? true : undefined}
            aria-busy={list.isLoading || list.isStale || isReadingToEnd}
            tabIndex={list.rows === 0 ? 0 : -1}
            onKeyDown={onKeyDown}
          >
            <Head columns={columns} isSelectable={selection !== undefined} />
            <div
              role="rowgroup"
              className={list.isStale ? styles.stale : undefined}
              style={{ height: list.isLoading ? rowHeight * 12 : virtualizer.getTotalSize() }}
            >
              {inView.map(({ index, start }) => (
                <Row
                  key={index}
                  columns={columns}
                  idOf={idOf}
                  nameOf={nameOf}
                  open={open}
                  selection={selection}
                  item={list.itemAt(index)}
                  index={index}
                  start={start}
                  height={rowHeight}
                  isActive={index === active}
                  isPeeked={peek?.id !== undefined && idAt(index) === peek.id}
                  activate={() => setActive(index)}
                  select={(isRange) => select(index, isRange)}
                />
              ))}
            </div>
          </div>
          {peek?.id && peek.panel}
        </div>
      )}
      {list.isTooLong && (
        <p className={styles.count}>
          The list ends here, after {formatCount(list.rows)}. Narrow it by a filter.
        </p>
      )}
    </div>
  );
}

const hasFocus = (scroller: { current: HTMLElement | null }): boolean =>
  scroller.current?.contains(document.activeElement) ?? false;

/** A key with a modifier, or in a field, is the browser's. */
const hasModifier = ({ altKey, shiftKey, target }: KeyboardEvent): boolean =>
  altKey || shiftKey || (target instanceof Element && target.matches('input, select, textarea'));

/** How many rows there are: all that were read, or as many as are known to follow. */
export function totalOf<Item>({ isComplete, rows, total }: List<Item>): number | undefined {
  if (isComplete) return rows;
  return total !== undefined && total >= rows ? total : undefined;
}

function countText<Item>(
  { list, noun }: GridProps<Item>,
  { first, last }: { first: number; last: number },
): string {
  if (list.isLoading) return `Reading ${noun}s …`;
  const total = totalOf(list);
  const of = total === undefined ? `${formatCount(list.rows)} so far` : formatCount(total);
  return list.rows === 0
    ? `No ${noun}s`
    : `${formatCount(first + 1)}–${formatCount(Math.min(last + 1, list.rows))} of ${of}`;
}

/** The first and the last row that a person sees, without those that are ready beside them. */
function rowsInView(
  { scrollOffset, scrollRect }: { scrollOffset: number | null; scrollRect: Size | null },
  rowHeight: number,
): { first: number; last: number } {
  const top = scrollOffset ?? 0;
  const height = (scrollRect?.height ?? 0) - headHeight;
  return {
    first: Math.floor(top / rowHeight),
    last: Math.ceil((top + height) / rowHeight) - 1,
  };
}

interface Size {
  height: number;
}

/** In pixels, as in the style sheet. */
const headHeight = 36;

function selectionText<Item>(
  { list, selection, idOf }: GridProps<Item>,
  { first, last }: { first: number; last: number },
): string {
  if (!selection || selection.ids.size === 0) return '';
  let inView = 0;
  for (let row = first; row <= last; row += 1) {
    const item = list.itemAt(row);
    if (item !== undefined && selection.has(idOf(item))) inView += 1;
  }
  const away = selection.ids.size - inView;
  return ` · ${formatCount(selection.ids.size)} selected${away > 0 ? `, ${formatCount(away)} not in view` : ''}`;
}
