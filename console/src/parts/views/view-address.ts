import type { ItemOf } from '@assay/client/operations';
import { parseSearch, writeSearch } from '../search.ts';

export type SavedView = ItemOf<'/projects/:projectId/views'>;
export type ViewList = SavedView['list'];

type Search = Record<string, unknown>;

/** The parameters of each list that are no part of a view: its runs, and the thing that is open. */
const passing: Record<ViewList, readonly string[]> = {
  runs: [],
  records: ['tab', 'record', 'breakdown'],
  traces: [],
  comparisons: ['baseline', 'candidate', 'passing', 'failing', 'against', 'pair'],
};

/** The query that a view of this address keeps, its parameters in one order. */
export function viewQueryOf(list: ViewList, search: Search): string {
  const kept = Object.entries(search)
    .filter(([name, value]) => value !== undefined && !passing[list].includes(name))
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return writeSearch(Object.fromEntries(kept)).slice(1);
}

/** The address of a view, which keeps the runs of the present one. */
export function searchOfView({ list, query }: SavedView, search: Search): Search {
  const kept = Object.entries(search).filter(([name]) => passing[list].includes(name));
  const { record: _record, pair: _pair, ...open } = Object.fromEntries(kept);
  const wanted = Object.entries(parseSearch(query)).filter(
    ([name]) => !passing[list].includes(name),
  );
  return { ...open, ...Object.fromEntries(wanted) };
}

/** Does the address show this view? Programs may have written its parameters in another order. */
export const isViewOf = (view: SavedView, search: Search): boolean =>
  viewQueryOf(view.list, parseSearch(view.query)) === viewQueryOf(view.list, search);
