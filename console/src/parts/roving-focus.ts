import { type KeyboardEvent, type RefObject, useEffect, useRef } from 'react';

/** Steps of the keys from one to the next. */
const steps: Record<string, number> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  Home: -Infinity,
  End: Infinity,
};

/**
 * Makes the buttons and links in an element one stop of the Tab key: the arrow keys go from one to the
 * next (WAI-ARIA, roving tabindex). Those of a popover inside stay as they are.
 */
export function useRovingFocus(group: RefObject<HTMLElement | null>) {
  const current = useRef(0);

  function items(): HTMLElement[] {
    const found = group.current?.querySelectorAll<HTMLElement>('button, a[href]') ?? [];
    return [...found].filter((item) => !item.closest('[popover]'));
  }

  function choose(index: number): HTMLElement | undefined {
    const all = items();
    current.current = Math.max(0, Math.min(all.length - 1, index));
    for (const [place, item] of all.entries()) item.tabIndex = place === current.current ? 0 : -1;
    return all[current.current];
  }

  // After each drawing: buttons of the element may be new.
  useEffect(() => {
    choose(current.current);
  });

  return {
    onFocus: ({ target }: { target: EventTarget }) => {
      const index = items().indexOf(target as HTMLElement);
      if (index >= 0) choose(index);
    },
    onKeyDown: (event: KeyboardEvent) => {
      const step = steps[event.key];
      const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
      if (step === undefined || !isPlain || !items().includes(event.target as HTMLElement)) return;
      event.preventDefault();
      // A grid has other plans for Home and End.
      event.stopPropagation();
      choose(current.current + step)?.focus();
    },
  };
}
