import { type RefObject, useLayoutEffect, useState } from 'react';

/** The width of an element in pixels, also after it changes; `first` before it is known. */
export function useWidth(element: RefObject<HTMLElement | null>, first: number): number {
  const [width, setWidth] = useState(first);
  useLayoutEffect(() => {
    if (!element.current) return;
    setWidth(element.current.clientWidth);
    const observer = new ResizeObserver(([entry]) => setWidth(entry!.contentRect.width));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, [element]);
  return width;
}
