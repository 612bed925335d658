import { expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser, type Visitor } from './browser.ts';

/** One of each kind, and none of the longest, over which axe takes seconds. */
const pages = ['/docs/', '/docs/guides/first-judge', '/docs/api/testcases'];

describeInBrowser('the documentation', (stage) => {
  test('is accessible by the rules of WCAG 2.2 AA in both themes, complains of nothing, and fits 320 px', async () => {
    await using visitor = await stage.visit({ key: null });
    const { page } = visitor;
    const problems: string[] = [];
    for (const path of pages) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: 'light' });
      await visitor.open(path);
      const inLight = await problemsOf(page);
      await page.emulateMedia({ colorScheme: 'dark' });
      const inDark = await colourProblemsOf(page);
      for (const problem of [...inLight, ...inDark]) problems.push(`${path}: ${problem}`);
      await page.setViewportSize({ width: 320, height: 640 });
      const width = Number(await page.evaluate('document.documentElement.scrollWidth'));
      if (width > 320) problems.push(`${path}: ${width} px`);
    }
    expect([...problems, ...visitor.complaints]).toEqual([]);
  });

  test('fits 320 px with its longest tables', async () => {
    await using visitor = await stage.visit({ key: null, width: 320, height: 640 });
    for (const path of [
      '/docs/guides/operations',
      '/docs/guides/events',
      '/docs/api/metrics',
      '/docs/api/shapes',
    ]) {
      await visitor.open(path);
      const width = Number(await visitor.page.evaluate('document.documentElement.scrollWidth'));
      expect([path, width]).toEqual([path, 320]);
    }
  });

  test('finds operations and headings of guides by words, by the keyboard alone', async () => {
    await using visitor = await stage.visit({ key: null });
    const { page } = visitor;
    await visitor.open('/docs/');
    await page.keyboard.press('/');
    await page.keyboard.type('create testset');
    await page.getByRole('link', { name: 'Create a testset' }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/api/testsets#createTestset');
    await page.keyboard.press('/');
    await page.keyboard.type('backup restore');
    await page.locator('#found').getByRole('link', { name: 'Backup and restore' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/guides/operations#backup-and-restore');
    await page.locator('#query').fill('reading comparison');
    await page
      .locator('#found')
      .getByRole('link', { name: 'Reading a comparison' })
      .first()
      .waitFor();
    await page.locator('#query').fill('zzzz');
    await page.getByText('Nothing has all of these words.').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('#found').isHidden()).toBe(true);
    expect(visitor.complaints).toEqual([]);
  });

  test('shows the example of the chosen shape in the chosen language, which the next page remembers', async () => {
    await using visitor = await stage.visit({ key: null });
    const { page } = visitor;
    await visitor.open('/docs/api/metrics');
    const operation = page.locator('#createMetric');
    const shown = operation.locator('.snippet:visible');
    await expect
      .poll(() => shown.allTextContents())
      .toEqual([expect.stringContaining('Helpfulness')]);
    await operation.getByText('CreateHumanFloatMetric', { exact: true }).click();
    await operation.getByText('Python', { exact: true }).click();
    await expect
      .poll(() => shown.allTextContents())
      .toEqual([
        expect.stringMatching(/import json[\s\S]*"evalType": "human",\s+"outputType": "float"/),
      ]);
    await expect.poll(() => shown.textContent()).toContain(`"${stage.assay.url}/v2/projects/`);
    await expect.poll(() => operation.locator('.variant .fields:visible').count()).toBe(1);
    await visitor.open('/docs/api/projects');
    const python = await page
      .locator('.snippet:visible')
      .evaluateAll((all) => all.map((one) => one.className));
    expect(new Set(python)).toEqual(new Set(['snippet python']));
  });

  test('can be read and chosen from without script', async () => {
    await using visitor = await withoutScript(await stage.visit({ key: null }));
    const { page } = visitor;
    await visitor.open('/docs/api/metrics');
    const operation = page.locator('#createMetric');
    await operation.getByText('TypeScript', { exact: true }).click();
    await expect.poll(() => operation.locator('.snippet:visible').count()).toBe(1);
    expect(await page.locator('#search').isHidden()).toBe(true);
  });
});

/** Refuses the script of the pages. */
async function withoutScript(visitor: Visitor): Promise<Visitor> {
  await visitor.page.route('**/docs/script.*.js', (route) => route.abort());
  return visitor;
}
