import { type RefObject, useLayoutEffect } from 'react';

/** Gives the focus to the title of the page when the element goes that has it: else it is nowhere. */
export function useLeavingFocus(element: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const { current } = element;
    return () => {
      if (current?.contains(document.activeElement))
        document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true });
    };
  }, [element]);
}
