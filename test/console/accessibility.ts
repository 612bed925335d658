import axe from 'axe-core';
import type { Page } from 'playwright-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** The faults that axe finds, each with its rule and its place. */
export async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const run = `axe.run(document, ${JSON.stringify({ runOnly: { type: 'tag', values: rules } })})`;
  const { violations } = (await page.evaluate(run)) as axe.AxeResults;
  return violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id} at ${target}`));
}
