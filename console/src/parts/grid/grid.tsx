import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import type { List } from '../../api/list.ts';
import { formatCount } from '../../text/format.ts';
import { Problem } from '../problem.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { ColumnMenu } from './column-menu.tsx';
import { type Column, type Columns, useColumns } from './columns.ts';
import styles from './grid.module.css';
import type { Selection } from './selection.ts';

interface GridProps<Item> {
  /** Under which a person's columns are kept. */
  name: string;
  /** What a screen reader calls it. */
  label: string;
  /** What one row is called, such as `run`. */
  noun: string;
  list: List<Item>;
  columns: Column<Item>[];
  idOf: (item: Item) => string;
  /** Opens a row: by a click, or by Enter. */
  open?: (item: Item) => void;
  selection?: Selection;
  /** What the row is called where it is selected. */
  nameOf: (item: Item) => string;
  /** Shown above the rows, beside their count. */
  tools?: ReactNode;
  /** Shown in place of the rows where there are none. */
  empty: ReactNode;
  rowHeight?: number;
}

/** A list of any length: rows of one height, of which only those in view exist. */
export function Grid<Item>(props: GridProps<Item>) {
  const { name, label, list, idOf, open, selection, tools, empty, rowHeight = 40 } = props;
  const columns = useColumns(name, props.columns);
  const scroller = useRef<HTMLDivElement>(null);
  const [active, setActive] = useState(0);
  const virtualizer = useVirtualizer({
    count: list.rows,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
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
  const select = (row: number, range: boolean) => {
    const id = idAt(row);
    if (id !== undefined) selection?.toggle(row, id, { range, idAt });
  };
  const goTo = (row: number) => {
    const bounded = Math.max(0, Math.min(row, list.rows - 1));
    setActive(bounded);
    virtualizer.scrollToIndex(bounded, { align: 'auto' });
    requestAnimationFrame(() =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${bounded}"]`)?.focus(),
    );
  };
  const openActive = () => {
    const item = list.itemAt(active);
    if (item !== undefined) open?.(item);
  };
  useShortcuts({
    nextRow: () => goTo(hasFocus(scroller) ? active + 1 : active),
    previousRow: () => goTo(active - 1),
    ...(open ? { open: openActive } : {}),
    ...(selection ? { select: () => select(active, false) } : {}),
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const page = Math.floor((scroller.current?.clientHeight ?? 0) / rowHeight) - 1;
    const to = {
      ArrowDown: active + 1,
      ArrowUp: active - 1,
      PageDown: active + page,
      PageUp: active - page,
      Home: 0,
      End: list.rows - 1,
    }[event.key];
    if (to === undefined || event.altKey || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    goTo(to);
  };

  if (list.error && list.rows === 0) return <Problem error={list.error} retry={list.retry} />;
  return (
    <div className={styles.whole}>
      <div className={styles.tools}>
        <p className={styles.count} role="status">
          {countText(props, { first, last })}
        </p>
        {tools}
        <ColumnMenu columns={columns} />
      </div>
      {list.error && <Problem error={list.error} retry={list.retry} />}
      {!list.isLoading && list.rows === 0 ? (
        empty
      ) : (
        <div
          ref={scroller}
          className={styles.scroller}
          role="grid"
          aria-label={label}
          aria-rowcount={list.isComplete ? list.rows + 1 : -1}
          aria-colcount={columns.shown.length + (selection ? 1 : 0)}
          aria-multiselectable={selection ? true : undefined}
          aria-busy={list.isLoading || list.isStale}
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
                {...props}
                columns={columns}
                item={list.itemAt(index)}
                index={index}
                start={start}
                height={rowHeight}
                isActive={index === active}
                activate={() => setActive(index)}
                select={(range) => select(index, range)}
              />
            ))}
          </div>
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

function countText<Item>(
  { list, noun, selection }: GridProps<Item>,
  { first, last }: { first: number; last: number },
): string {
  if (list.isLoading) return `Reading ${noun}s …`;
  const total = list.total ?? (list.isComplete ? list.rows : undefined);
  const of = total === undefined ? `${formatCount(list.rows)} so far` : formatCount(total);
  const shown =
    list.rows === 0
      ? `No ${noun}s`
      : `${formatCount(first + 1)}–${formatCount(Math.min(last + 1, list.rows))} of ${of}`;
  if (!selection || selection.ids.size === 0) return shown;
  let inView = 0;
  for (let row = first; row <= last; row += 1) {
    const item = list.itemAt(row);
    if (item !== undefined && selection.has((item as { id: string }).id)) inView += 1;
  }
  const away = selection.ids.size - inView;
  return `${shown} · ${formatCount(selection.ids.size)} selected${away > 0 ? `, ${formatCount(away)} not in view` : ''}`;
}

function Head<Item>({ columns, isSelectable }: { columns: Columns<Item>; isSelectable: boolean }) {
  return (
    <div role="rowgroup" className={styles.headGroup}>
      <div
        role="row"
        aria-rowindex={1}
        className={styles.head}
        style={{ gridTemplateColumns: templateOf(columns, isSelectable), minWidth: columns.width }}
      >
        {isSelectable && (
          <div role="columnheader" className={styles.choose}>
            <span className="for-screen-readers">Selected</span>
          </div>
        )}
        {columns.shown.map((column) => (
          <div
            key={column.id}
            role="columnheader"
            className={column.isNumber ? styles.numberHead : styles.headCell}
          >
            <span>{column.head ?? column.name}</span>
            <ResizeHandle column={column} columns={columns} />
          </div>
        ))}
      </div>
    </div>
  );
}

/** Makes a column wider: by dragging, or by the arrow keys. */
function ResizeHandle<Item>({ column, columns }: { column: Column<Item>; columns: Columns<Item> }) {
  const from = useRef<{ x: number; width: number }>(undefined);
  const width = columns.widthOf(column);
  return (
    <span
      role="separator"
      tabIndex={0}
      aria-orientation="vertical"
      aria-label={`Width of ${column.name}`}
      aria-valuenow={width}
      className={styles.handle}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        const shown = event.currentTarget.parentElement!.offsetWidth;
        from.current = { x: event.clientX, width: shown };
      }}
      onPointerMove={({ clientX }) => {
        if (from.current) columns.resize(column.id, from.current.width + clientX - from.current.x);
      }}
      onPointerUp={() => {
        from.current = undefined;
      }}
      onKeyDown={(event) => {
        const step = { ArrowLeft: -16, ArrowRight: 16 }[event.key];
        if (step) columns.resize(column.id, event.currentTarget.parentElement!.offsetWidth + step);
      }}
    />
  );
}

const chooseWidth = 36;

const templateOf = <Item,>(columns: Columns<Item>, isSelectable: boolean): string =>
  `${isSelectable ? `${chooseWidth}px ` : ''}${columns.template}`;

interface RowProps<Item> extends Omit<GridProps<Item>, 'columns'> {
  columns: Columns<Item>;
  item: Item | undefined;
  index: number;
  start: number;
  height: number;
  isActive: boolean;
  activate: () => void;
  select: (range: boolean) => void;
}

function Row<Item>({
  columns,
  item,
  index,
  start,
  height,
  isActive,
  activate,
  select,
  open,
  idOf,
  nameOf,
  selection,
}: RowProps<Item>) {
  const isChosen = item !== undefined && (selection?.has(idOf(item)) ?? false);
  return (
    <div
      role="row"
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selection ? isChosen : undefined}
      tabIndex={isActive ? 0 : -1}
      className={`${styles.row} ${isChosen ? styles.chosen : ''}`}
      style={{
        height,
        transform: `translateY(${start}px)`,
        gridTemplateColumns: templateOf(columns, selection !== undefined),
        minWidth: columns.width,
      }}
      onFocus={activate}
      onClick={({ target }) => {
        if (item !== undefined && !isOwnControl(target)) open?.(item);
      }}
      onKeyDown={({ key, target, currentTarget }) => {
        if (key === 'Enter' && target === currentTarget && item !== undefined) open?.(item);
      }}
    >
      {selection && (
        <div role="gridcell" className={styles.choose}>
          {item !== undefined && (
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isChosen}
              aria-label={`Select ${nameOf(item)}`}
              onChange={() => undefined}
              onClick={({ shiftKey }) => select(shiftKey)}
            />
          )}
        </div>
      )}
      {columns.shown.map((column) => (
        <div
          key={column.id}
          role="gridcell"
          className={column.isNumber ? styles.number : styles.cell}
        >
          {item === undefined ? <span className={styles.coming} /> : column.cell(item)}
        </div>
      ))}
    </div>
  );
}

const isOwnControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, select, label, textarea') !== null;
