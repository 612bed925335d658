import type { ReactNode } from 'react';
import type { Columns } from './columns.ts';
import styles from './grid.module.css';
import type { Selection } from './selection.ts';

const chooseWidth = 36;

/** The columns of a row, with that of its checkbox. */
export const templateOf = <Item,>(columns: Columns<Item>, isSelectable: boolean): string =>
  `${isSelectable ? `${chooseWidth}px ` : ''}${columns.template}`;

interface RowProps<Item> {
  columns: Columns<Item>;
  idOf: (item: Item) => string;
  nameOf: (item: Item) => string;
  open?: ((item: Item) => void) | undefined;
  selection?: Selection | undefined;
  item: Item | undefined;
  index: number;
  start: number;
  height: number;
  isActive: boolean;
  /** Is it shown in the panel beside the rows? */
  isPeeked: boolean;
  activate: () => void;
  /** Chooses the row or not; with `isRange` all rows from where the range begins. */
  select: (isRange: boolean) => void;
}

/** One row; a bare one until its item has been read. */
export function Row<Item>({
  columns,
  item,
  index,
  start,
  height,
  isActive,
  isPeeked,
  activate,
  select,
  open,
  idOf,
  nameOf,
  selection,
}: RowProps<Item>) {
  const isChosen = item !== undefined && (selection?.has(idOf(item)) ?? false);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Enter is in the table of shortcuts.
    <div
      role="row"
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selection ? isChosen : undefined}
      tabIndex={isActive ? 0 : -1}
      aria-current={isPeeked || undefined}
      className={`${styles.row} ${isChosen ? styles.chosen : ''} ${isPeeked ? styles.peeked : ''}`}
      style={{
        height,
        transform: `translateY(${start}px)`,
        gridTemplateColumns: templateOf(columns, selection !== undefined),
        minWidth: columns.width,
      }}
      onFocus={activate}
      onMouseDown={(event) => {
        // A range of rows is meant, not of text.
        if (event.shiftKey && selection) event.preventDefault();
      }}
      onClick={({ target, shiftKey }) => {
        if (item === undefined || isOwnControl(target)) return;
        if (shiftKey && selection) select(true);
        else open?.(item);
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
          {item === undefined ? <span className={styles.coming} /> : cellOf(column.cell(item))}
        </div>
      ))}
    </div>
  );
}

const isOwnControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, select, label, textarea') !== null;

/** A text of its own would be cut without dots. */
const cellOf = (content: ReactNode): ReactNode =>
  typeof content === 'string' ? <span>{content}</span> : content;
