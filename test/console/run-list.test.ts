import { beforeAll, expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the list of runs', (stage) => {
  let projectId: string;
  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  beforeAll(async () => {
    projectId = (await make('/projects', { name: 'Listed', description: '' })).id;
    const testset = await make(`/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const start = (name: string, more = {}) =>
      make(`/projects/${projectId}/runs`, { name, metricIds: [], ...more });
    const { id: runId } = await start('beta', { testsetId: testset.id });
    await start('Alpha', { labels: { branch: 'main', commit: '4f7c2aa', machine: 'ci-7' } });
    await start('gamma');
    const { status } = await stage.assay.call('PUT', `/testsets/${testset.id}/baseline`, { runId });
    expect(status).toBe(200);
  });

  const open = async (search = '') => {
    const visit = await stage.visit();
    await visit.open(`/projects/${projectId}/runs${search}`);
    const { page } = visit;
    await page.getByText('1–3 of 3').waitFor();
    return {
      visit,
      page,
      head: (name: string) =>
        page
          .getByRole('columnheader')
          .filter({ has: page.getByRole('button', { name, exact: true }) }),
      expectNames: (names: string[]) =>
        expect.poll(() => page.locator('[data-row] a').allTextContents()).toEqual(names),
    };
  };

  test('is sorted by its heads, by the keyboard too, and the order is in the address', async () => {
    const { visit, page, head, expectNames } = await open();
    await using _ = visit;
    await expectNames(['gamma', 'Alpha', 'beta']);
    await expect.poll(() => head('Made').getAttribute('aria-sort')).toBe('descending');
    await head('Name').getByRole('button').click();
    await expectNames(['Alpha', 'beta', 'gamma']);
    await expect.poll(() => head('Name').getAttribute('aria-sort')).toBe('ascending');
    await expect.poll(() => head('Made').getAttribute('aria-sort')).toBeNull();
    await head('Name').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await expectNames(['gamma', 'beta', 'Alpha']);
    await page.waitForURL('**/runs?sort=name&order=desc');
    await page.getByText('Order: names from Z to A', { exact: true }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.reload();
    await expectNames(['gamma', 'beta', 'Alpha']);
    await page.goBack();
    await expectNames(['Alpha', 'beta', 'gamma']);
    await head('Made').getByRole('button').click();
    await expectNames(['gamma', 'Alpha', 'beta']);
    await head('Made').getByRole('button').click();
    await expectNames(['beta', 'Alpha', 'gamma']);
    await page.waitForURL('**/runs?order=asc');
    expect(visit.complaints).toEqual([]);
  });

  test('has panels whose buttons are walked by arrows, round their ends', async () => {
    const { visit, page } = await open();
    await using _ = visit;
    const focused = page.locator(':focus');
    await page.getByRole('search').getByRole('button', { name: 'Made', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'at any time' }).waitFor();
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused.textContent()).toBe('at any time');
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => focused.textContent()).not.toBe('at any time');
    await page.keyboard.press('ArrowUp');
    await expect.poll(() => focused.textContent()).toBe('at any time');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused.textContent()).toBe('Made');
    expect(visit.complaints).toEqual([]);
  });

  test('is filtered by the time in which runs were made, by two clicks or by words', async () => {
    const { visit, page } = await open();
    await using _ = visit;
    await page.getByRole('search').getByRole('button', { name: 'Made', exact: true }).click();
    await page.getByRole('button', { name: 'last 7 days' }).click();
    await page.getByText(/^Made since: /).waitFor();
    await page.waitForURL('**/runs?from=*');
    await page.getByText('1–3 of 3').waitFor();
    const field = page.getByRole('combobox', { name: 'Filter runs' });
    await field.fill('made<=2026-01-31 made:soon');
    await field.press('Enter');
    await page.getByText('No run passes these filters').waitFor();
    await page.getByRole('alert').getByText('“soon” is no time: write 2026-11-20').waitFor();
    await page.getByRole('search').getByRole('button', { name: 'Made', exact: true }).click();
    await page.getByRole('button', { name: 'at any time' }).click();
    await page.getByText('1–3 of 3').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('says when runs were made beside their names, which is a baseline, and all labels', async () => {
    const { visit, page } = await open();
    await using _ = visit;
    const heads = page.getByRole('columnheader');
    await expect
      .poll(() => heads.allTextContents())
      .toEqual(expect.arrayContaining(['Name', 'Made ▼', 'Status', 'Labels']));
    await expect.poll(() => heads.nth(2).textContent()).toBe('Made ▼');
    const rowOf = (name: string) => page.getByRole('row').filter({ hasText: name });
    await rowOf('beta').getByText('baseline', { exact: true }).waitFor();
    await expect.poll(() => page.getByText('baseline', { exact: true }).count()).toBe(1);
    for (const label of ['branch:main', 'commit:4f7c2aa', 'machine:ci-7'])
      await rowOf('Alpha').getByText(label, { exact: true }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(page)).toEqual([]);
  });

  test('has its heads as one stop of the Tab key: arrows go from head to head, and with Shift widen a column', async () => {
    const { visit, page, head } = await open();
    await using _ = visit;
    const focused = () => page.evaluate('document.activeElement?.title');
    await head('Name').getByRole('button').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(focused).toBe('Sort by Made');
    const width = async () => (await head('Made').boundingBox())!.width;
    const before = await width();
    await page.keyboard.press('Shift+ArrowRight');
    await expect.poll(width).toBeGreaterThan(before);
    await page.keyboard.press('Tab');
    await expect.poll(focused).not.toMatch(/^Sort by/);
    await page.keyboard.press('Shift+Tab');
    await expect.poll(focused).toBe('Sort by Made');
    await page.keyboard.press('Home');
    await expect.poll(focused).toBe('Sort by Name');
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Columns' }).click();
    const wide = await width();
    await page.getByRole('button', { name: 'Make Made narrower' }).click();
    await expect.poll(width).toBeLessThan(wide);
  });

  test('keeps its selection for whoever comes back from the comparison', async () => {
    const { visit, page } = await open();
    await using _ = visit;
    const boxes = page.getByRole('checkbox', { name: 'Select' });
    await boxes.nth(0).check();
    await boxes.nth(1).check();
    await page.getByText('2 selected').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Alpha', exact: true }).click();
    await page.getByRole('heading', { name: 'Alpha' }).waitFor();
    await page.goBack();
    await page.getByText('2 selected').waitFor();
  });
});
