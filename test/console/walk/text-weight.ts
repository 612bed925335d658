import type { Page } from 'playwright-core';

const measuring = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let all = 0;
  let heavy = 0;
  while (texts.nextNode()) {
    const { data, parentElement: element } = texts.currentNode;
    const { length } = data.trim();
    // What is for screen readers alone is a pixel wide.
    if (!length || !element.checkVisibility({ visibilityProperty: true }) || element.clientWidth === 1)
      continue;
    all += length;
    if (Number(getComputedStyle(element).fontWeight) >= 600) heavy += length;
  }
  return all === 0 ? 0 : heavy / all;
})()`;

/** The share of the characters on a page that are of weight 600 and more. */
export const heavyShareOf = (page: Page): Promise<number> => page.evaluate(measuring);
