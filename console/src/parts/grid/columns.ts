import type { ReactNode } from 'react';
import {
  type ColumnChanges,
  keepColumnChanges,
  unchanged,
  useColumnChanges,
} from './column-changes.ts';

export interface Column<Item> {
  id: string;
  /** The name of the column in menus, and in its head unless `head` says more. */
  name: string;
  head?: ReactNode;
  /** Rendered for each row that is in view. */
  cell: (item: Item) => ReactNode;
  /** In pixels, until somebody changes it. */
  width?: number;
  isNumber?: boolean;
  sort?: ColumnSort;
}

/** How the rows are sorted by a column. */
export interface ColumnSort {
  /** Undefined where they are sorted by another one. */
  direction: 'asc' | 'desc' | undefined;
  /** Sorts by the column, or turns the order round. A head that has a menu for it has none. */
  toggle?: () => void;
}

const widthMin = 56;
const widthMax = 1200;
const widthDefault = 140;

/**
 * The columns of a grid in the order, widths and selection that a person chose. The first column is
 * fixed: it names the row.
 */
export function useColumns<Item>(grid: string, columns: Column<Item>[]) {
  const changes = useColumnChanges(grid);
  const change = (part: Partial<ColumnChanges>) => keepColumnChanges(grid, { ...changes, ...part });
  const [first, ...rest] = columns;
  const place = (id: string) => {
    const index = changes.order.indexOf(id);
    return index < 0 ? changes.order.length + rest.findIndex((one) => one.id === id) : index;
  };
  const ordered = [first!, ...rest.toSorted((one, other) => place(one.id) - place(other.id))];
  const shown = ordered.filter(({ id }) => !changes.hidden.includes(id));
  const widthOf = ({ id, width = widthDefault }: Column<Item>) => changes.widths[id] ?? width;

  return {
    all: ordered,
    shown,
    /** The value of `grid-template-columns`: the first column takes what the others leave. */
    template: shown
      .map((column, index) =>
        index === 0 && changes.widths[column.id] === undefined
          ? `minmax(${widthOf(column)}px, 1fr)`
          : `${widthOf(column)}px`,
      )
      .join(' '),
    /** The least width of all columns, in pixels. */
    width: shown.reduce((sum, column) => sum + widthOf(column), 0),
    widthOf,
    isHidden: (id: string) => changes.hidden.includes(id),
    resize: (id: string, width: number) =>
      change({
        widths: {
          ...changes.widths,
          [id]: Math.round(Math.min(widthMax, Math.max(widthMin, width))),
        },
      }),
    setHidden: (id: string, isHidden: boolean) =>
      change({
        hidden: isHidden ? [...changes.hidden, id] : changes.hidden.filter((one) => one !== id),
      }),
    /** Moves a column by so many places. */
    move: (id: string, by: -1 | 1) => {
      const ids = ordered.slice(1).map((column) => column.id);
      const from = ids.indexOf(id);
      const to = from + by;
      if (from < 0 || to < 0 || to >= ids.length) return;
      ids.splice(from, 1);
      ids.splice(to, 0, id);
      change({ order: ids });
    },
    reset: () => change(unchanged),
  };
}

export type Columns<Item> = ReturnType<typeof useColumns<Item>>;
