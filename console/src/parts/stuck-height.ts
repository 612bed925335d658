import { type RefObject, useLayoutEffect } from 'react';

/**
 * Tells the style sheets how high something is that stays at the top while the page is scrolled, by
 * a property of the document: a table below it, and a field that takes the focus, begin under it. The
 * height is 0 where it does not stay, such as on a phone that lies on its side.
 */
export function useStuckHeight(
  element: RefObject<HTMLElement | null>,
  property: '--head' | '--filters',
): void {
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return;
    const { style } = document.documentElement;
    const measure = () => {
      const isStuck = getComputedStyle(current).position === 'sticky';
      style.setProperty(property, `${isStuck ? current.offsetHeight : 0}px`);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    window.addEventListener('resize', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', measure);
      style.removeProperty(property);
    };
  }, [element, property]);
}
