import type { Page } from 'playwright-core';

/**
 * From now on the page notes what moves behind that which lies over it, also where a key of the
 * person came before: an opened dialog is no reason for a page to move.
 */
export const watchBehind = (page: Page): Promise<unknown> => page.evaluate(watching);

/** The elements behind that moved, each by how many pixels. */
export const movedBehind = (page: Page): Promise<string[]> => page.evaluate('movedBehind');

const watching = `(() => {
  globalThis.movedBehind = [];
  const before = innerWidth;
  new PerformanceObserver((list) => {
    if (innerWidth !== before) return;
    for (const { sources } of list.getEntries())
      for (const { node, previousRect, currentRect } of sources) {
        const element = node?.nodeType === 1 ? node : node?.parentElement;
        if (!element || element.closest('dialog, [popover], [role=listbox]')) continue;
        // "a minute ago" becomes "2 minutes ago", and moves the rest of its line.
        if (element.parentElement.querySelector('time')) continue;
        const [x, y] = ['left', 'top'].map((side) => Math.round(currentRect[side] - previousRect[side]));
        movedBehind.push(element.tagName.toLowerCase() + '.' + String(element.className).split(' ')[0] + ' by ' + x + ', ' + y);
      }
  }).observe({ type: 'layout-shift' });
})()`;
