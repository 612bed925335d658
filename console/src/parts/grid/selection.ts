import { useState } from 'react';

/** Rows chosen by their ids: scrolling, sorting and new rows do not change what is chosen. */
export function useSelection() {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<number>();
  return {
    ids,
    has: (id: string) => ids.has(id),
    clear: () => setIds(new Set()),
    /** Chooses a row or not; with `range`, all rows from the one chosen last. */
    toggle: (
      row: number,
      id: string,
      { range, idAt }: { range: boolean; idAt: (row: number) => string | undefined },
    ) => {
      const next = new Set(ids);
      const isChosen = !next.has(id);
      const from = range && last !== undefined ? Math.min(last, row) : row;
      const to = range && last !== undefined ? Math.max(last, row) : row;
      for (let index = from; index <= to; index += 1) {
        const one = idAt(index);
        if (one === undefined) continue;
        if (isChosen) next.add(one);
        else next.delete(one);
      }
      setIds(next);
      setLast(row);
    },
  };
}

export type Selection = ReturnType<typeof useSelection>;
