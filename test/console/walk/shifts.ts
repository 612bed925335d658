import type { Page } from 'playwright-core';

/** A movement of what was shown already, and the elements that moved. */
export interface Shift {
  value: number;
  moved: string[];
}

/**
 * Kept in the page from its first frame on. A movement that follows a person's own action within
 * half a second is none, as in the measure of browsers. A window that another visitor had watches
 * already.
 */
const watching = `if (!globalThis.shiftsOfPage) {
  globalThis.shiftsOfPage = [];
  const nameOf = (node) => {
    const element = node?.nodeType === 1 ? node : node?.parentElement;
    if (!element) return 'gone';
    const classes = String(element.getAttribute('class') ?? '').split(' ')[0];
    return element.tagName.toLowerCase() + (classes ? '.' + classes : '');
  };
  new PerformanceObserver((list) => {
    for (const { hadRecentInput, value, sources } of list.getEntries())
      if (!hadRecentInput)
        shiftsOfPage.push({ value, moved: sources.map(({ node, previousRect, currentRect }) =>
          nameOf(node) + ' by ' + Math.round(currentRect.top - previousRect.top)) });
  }).observe({ type: 'layout-shift', buffered: true });
}`;

/** Counts the movements of each page that is opened from now on. */
export const watchShifts = (page: Page): Promise<unknown> => page.addInitScript(watching);

/** The movements of the page since it was opened. */
export const shiftsOf = (page: Page): Promise<Shift[]> => page.evaluate('shiftsOfPage');
