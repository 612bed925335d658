import { useSyncExternalStore } from 'react';

/** How a person changed the columns of a grid. */
export interface ColumnChanges {
  widths: Record<string, number>;
  hidden: string[];
  order: string[];
}

export const unchanged: ColumnChanges = { widths: {}, hidden: [], order: [] };

const listeners = new Set<() => void>();
const read = new Map<string, { text: string; changes: ColumnChanges }>();

const keyOf = (grid: string): string => `assay.columns.${grid}`;

/** The changes of a grid's columns, which are kept for each browser. */
export function columnChanges(grid: string): ColumnChanges {
  const text = localStorage.getItem(keyOf(grid)) ?? '';
  const before = read.get(grid);
  if (before?.text === text) return before.changes;
  const changes = parsed(text);
  read.set(grid, { text, changes });
  return changes;
}

export function keepColumnChanges(grid: string, changes: ColumnChanges): void {
  localStorage.setItem(keyOf(grid), JSON.stringify(changes));
  for (const listener of listeners) listener();
}

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const useColumnChanges = (grid: string): ColumnChanges =>
  useSyncExternalStore(subscribe, () => columnChanges(grid));

function parsed(text: string): ColumnChanges {
  try {
    const { widths, hidden, order } = { ...unchanged, ...JSON.parse(text || '{}') };
    return { widths: { ...widths }, hidden: [...hidden], order: [...order] };
  } catch {
    return unchanged;
  }
}
