import { useEffect, useRef } from 'react';

/** Something that can be done on the present page. */
export interface PageAction {
  text: string;
  /** Why it cannot be done now. */
  problem?: string | undefined;
  run: () => void;
}

/** The actions of the parts that are shown, those of the first part first. */
const shown: { current: readonly PageAction[] }[] = [];

/** Offers actions in the palette too, as long as the component is shown. */
export function usePageActions(actions: readonly PageAction[]): void {
  const latest = useRef(actions);
  latest.current = actions;
  useEffect(() => {
    shown.push(latest);
    return () => void shown.splice(shown.indexOf(latest), 1);
  }, []);
}

/** All that can be done on the present page now. */
export const presentActions = (): PageAction[] =>
  shown.flatMap(({ current }) => current).filter(({ problem }) => problem === undefined);
