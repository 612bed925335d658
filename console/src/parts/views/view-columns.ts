import { type ColumnChanges, columnChanges, keepColumnChanges } from '../grid/column-changes.ts';
import type { SavedView } from './view-address.ts';

type ViewColumns = SavedView['columns'];

/** The columns of a grid as a view keeps them; null where nobody changed them. */
export function viewColumnsOf(grid: string | undefined): ViewColumns {
  if (grid === undefined) return null;
  const { order, hidden, widths } = columnChanges(grid);
  const changed = Object.entries(widths).map(([id, pixels]) => ({ id, pixels }));
  return order.length + hidden.length + changed.length === 0
    ? null
    : { order, hidden, widths: changed };
}

/** Shows the columns of a view, which replace those of the browser. */
export function showViewColumns(grid: string, columns: ViewColumns): void {
  keepColumnChanges(grid, changesOf(columns));
}

const changesOf = (columns: ViewColumns): ColumnChanges => ({
  order: columns?.order ?? [],
  hidden: columns?.hidden ?? [],
  widths: Object.fromEntries(columns?.widths.map(({ id, pixels }) => [id, pixels]) ?? []),
});
