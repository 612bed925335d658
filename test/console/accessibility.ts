import { createRequire } from 'node:module';
import type axeCore from 'axe-core';
import type { Page } from 'playwright-core';

/** The minified one: a browser reads less than half as much before it asks the first rule. */
const axe: typeof axeCore = createRequire(import.meta.url)('axe-core/axe.min.js');

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const rules = axe.getRules(tags);
const colourRules = rules.filter((rule) => rule.tags.includes('cat.color'));

/**
 * The faults that axe finds, each with its rule and its place: on the whole page, or in the element
 * that an expression gives.
 */
export const problemsOf = (page: Page, within = 'document'): Promise<string[]> =>
  findProblems(page, { type: 'tag', values: tags }, within);

/**
 * The faults of colours alone. For a page that all rules were asked about, and whose theme changed
 * then: a theme is a matter of the style sheet, which has other colours for it and nothing else.
 */
export const colourProblemsOf = (page: Page, within = 'document'): Promise<string[]> =>
  findProblems(page, { type: 'rule', values: colourRules.map(({ ruleId }) => ruleId) }, within);

/**
 * Asks in the page, which returns the faults alone: all that axe finds in order is megabytes, and
 * takes longer on its way here than axe takes to find it.
 */
async function findProblems(
  page: Page,
  runOnly: { type: 'tag' | 'rule'; values: string[] },
  within: string,
): Promise<string[]> {
  const options = JSON.stringify({ runOnly, resultTypes: ['violations'] });
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  return page.evaluate(`axe.run(${within}, ${options}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' at ' + target)))`);
}
