import { type KeyboardEvent, useRef } from 'react';
import { useRovingFocus } from '../roving-focus.ts';
import type { Column, Columns } from './columns.ts';
import styles from './grid.module.css';
import { templateOf } from './row.tsx';

/**
 * The names of the columns, which stay while the rows are scrolled. They are one stop of the Tab key:
 * arrows go from column to column, and with Shift make one wider.
 */
export function Head<Item>({
  columns,
  isSelectable,
}: {
  columns: Columns<Item>;
  isSelectable: boolean;
}) {
  const row = useRef<HTMLDivElement>(null);
  return (
    <div role="rowgroup" className={styles.headGroup}>
      <div
        ref={row}
        {...useRovingFocus(row)}
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
            aria-sort={column.sort?.direction && ariaSorts[column.sort.direction]}
            className={column.isNumber ? styles.numberHead : styles.headCell}
            onKeyDown={(event) => resizeByKey(event, { column, columns })}
          >
            <span>{column.head ?? <Title column={column} />}</span>
            <ResizeHandle column={column} columns={columns} />
          </div>
        ))}
      </div>
    </div>
  );
}

const ariaSorts = { asc: 'ascending', desc: 'descending' } as const;

/** The name of a column, which sorts the rows by it where that is possible. */
function Title<Item>({ column: { name, sort } }: { column: Column<Item> }) {
  if (!sort?.toggle) return name;
  return (
    <button type="button" className={styles.sort} title={`Sort by ${name}`} onClick={sort.toggle}>
      {name}
      {sort.direction && <span aria-hidden> {sort.direction === 'asc' ? '▲' : '▼'}</span>}
    </button>
  );
}

/** Pixels of one press of an arrow key. */
const widthSteps: Record<string, number> = { ArrowLeft: -16, ArrowRight: 16 };

/** Makes a column wider or narrower by the arrow keys with Shift. */
function resizeByKey<Item>(
  event: KeyboardEvent<HTMLElement>,
  { column, columns }: { column: Column<Item>; columns: Columns<Item> },
): void {
  const step = event.shiftKey ? widthSteps[event.key] : undefined;
  if (step === undefined) return;
  event.preventDefault();
  columns.resize(column.id, event.currentTarget.offsetWidth + step);
}

/** Makes a column wider by dragging. */
function ResizeHandle<Item>({ column, columns }: { column: Column<Item>; columns: Columns<Item> }) {
  const from = useRef<{ x: number; width: number }>(undefined);
  const width = columns.widthOf(column);
  return (
    <span
      role="separator"
      tabIndex={-1}
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
    />
  );
}
