import type { ReactNode } from 'react';
import { Empty } from '../empty.tsx';
import type { SearchState } from './use-text-search.ts';

/** What stands in place of a list that a search found nothing for; `children` where it went to its end. */
export const NoneFound = ({ state, children }: { state: SearchState; children: ReactNode }) =>
  state.isStopped ? (
    <Empty title="Nothing was found so far">The search was stopped before its end.</Empty>
  ) : (
    children
  );
