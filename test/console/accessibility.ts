import axe from 'axe-core';
import type { Page } from 'playwright-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];
const options = { runOnly: { type: 'tag', values: rules }, resultTypes: ['violations'] };

/**
 * Run in the page, which returns the faults alone: all that axe finds in order is megabytes, and
 * takes longer on its way here than axe takes to find it.
 */
const findProblems = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target)))`;

/** The faults that axe finds, each with its rule and its place. */
export async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(findProblems);
}
