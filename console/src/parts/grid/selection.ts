import { useLocation } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

/** The row at which a range begins. */
interface Anchor {
  row: number;
  id: string;
  /** The choice before the range. */
  base: ReadonlySet<string>;
  /** Does the range choose its rows, or does it leave them out? */
  isChoosing: boolean;
}

/** The selections of visited pages, by the list and the entry of the browser's history. */
const remembered = new Map<string, ReadonlySet<string>>();
const rememberedMax = 50;

function remember(place: string, ids: ReadonlySet<string>): void {
  remembered.delete(place);
  remembered.set(place, ids);
  const [oldest] = remembered.keys();
  if (remembered.size > rememberedMax) remembered.delete(oldest!);
}

/**
 * Rows of a list chosen by their ids: scrolling, sorting and new rows do not change the choice, and
 * whoever comes back to the page finds it.
 */
export function useSelection(list: string) {
  const place = `${list} ${useLocation({ select: ({ state }) => state.__TSR_key ?? '' })}`;
  const [ids, setIds] = useState<ReadonlySet<string>>(() => remembered.get(place) ?? new Set());
  useEffect(() => remember(place, ids), [place, ids]);
  const [error, setError] = useState<Error>();
  const anchor = useRef<Anchor>(undefined);
  const changes = useRef(0);

  const choose = (chosen: ReadonlySet<string>) => {
    changes.current += 1;
    setError(undefined);
    setIds(chosen);
  };

  return {
    ids,
    /** Why the last range could not be chosen. */
    error,
    has: (id: string) => ids.has(id),
    clear: () => {
      anchor.current = undefined;
      choose(new Set());
    },
    /** Chooses a row or not. A range begins there. */
    toggle: (row: number, id: string) => {
      const next = new Set(ids);
      const isChoosing = !next.delete(id);
      if (isChoosing) next.add(id);
      anchor.current = { row, id, base: next, isChoosing };
      choose(next);
    },
    /**
     * Chooses all rows from where the range begins to this one; from `start` where none has begun.
     * A range that is drawn anew takes the place of the one before. `read` returns the ids of rows,
     * also of those that are not in memory.
     */
    extend: async (
      row: number,
      {
        start,
        read,
      }: {
        start: { row: number; id: string };
        read: (from: number, to: number) => Promise<string[]>;
      },
    ) => {
      const begun = anchor.current ?? { ...start, base: ids, isChoosing: true };
      anchor.current = begun;
      changes.current += 1;
      const change = changes.current;
      const from = Math.min(begun.row, row);
      try {
        const range = await read(from, Math.max(begun.row, row));
        // A later change counts; so does another order of the list.
        if (change !== changes.current) return;
        if (range[begun.row - from] !== begun.id) {
          anchor.current = undefined;
          return;
        }
        const next = new Set(begun.base);
        for (const id of range)
          if (begun.isChoosing) next.add(id);
          else next.delete(id);
        choose(next);
      } catch (thrown) {
        if (change === changes.current) setError(thrown as Error);
      }
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;
