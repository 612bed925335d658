import { useRef } from 'react';
import type { Column, Columns } from './columns.ts';
import styles from './grid.module.css';
import { templateOf } from './row.tsx';

/** The names of the columns, which stay while the rows are scrolled. */
export function Head<Item>({
  columns,
  isSelectable,
}: {
  columns: Columns<Item>;
  isSelectable: boolean;
}) {
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
            aria-sort={column.sort?.direction && ariaSorts[column.sort.direction]}
            className={column.isNumber ? styles.numberHead : styles.headCell}
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
