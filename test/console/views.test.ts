import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('views', (stage) => {
  let projectId: string;
  let secondUserId: string;
  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  beforeAll(async () => {
    projectId = (await make('/projects', { name: 'Viewed', description: '' })).id;
    for (const name of ['nightly 1', 'nightly 2', 'by hand'])
      await make(`/projects/${projectId}/runs`, { name, metricIds: [] });
    const member = await make('/members', { email: 'second@example.com', name: 'Second' });
    secondUserId = member.userId;
  });

  const runs = () => `/projects/${projectId}/runs`;
  const menu = (page: Page, name = 'Views') =>
    page.getByRole('main').getByRole('button', { name, exact: true });
  const expectNames = (page: Page, names: string[]) =>
    expect.poll(() => page.locator('[data-row] a').allTextContents()).toEqual(names);

  async function save(page: Page, name: string, sharing: 'mine' | 'shared'): Promise<void> {
    await menu(page).click();
    await page.getByRole('button', { name: 'Save this view …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Save this view' });
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Who sees it').selectOption(sharing);
    expect(await problemsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await menu(page, `Views: ${name}`).waitFor();
  }

  test('keep filters, order and columns of the runs, and open on another day, also for a second member', async () => {
    await using first = await stage.visit();
    const { page } = first;
    await first.open(`${runs()}?name=nightly&sort=name&order=desc`);
    await expectNames(page, ['nightly 2', 'nightly 1']);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Testset' }).uncheck();
    await page.keyboard.press('Escape');
    await save(page, 'Every night', 'shared');
    await first.open(runs());
    await page.getByText('1–3 of 3').waitFor();
    await save(page, 'All of them', 'mine');

    const { link } = await make(`/members/${secondUserId}/sign-in-link`, {});
    await using second = await stage.visit({ key: null });
    await second.open(link.slice(new URL(link).origin.length));
    await second.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    await second.open(runs());
    await second.page.getByRole('columnheader', { name: 'Testset' }).waitFor();
    await menu(second.page).click();
    const shared = second.page.getByRole('region', { name: 'Shared with the project' });
    await shared.getByRole('button', { name: 'Every night', exact: true }).waitFor();
    expect(await problemsOf(second.page)).toEqual([]);
    await second.page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(second.page)).toEqual([]);
    await expect.poll(() => second.page.getByText('All of them').count()).toBe(0);
    await shared.getByRole('button', { name: 'Every night', exact: true }).click();
    await second.page.waitForURL(`**${runs()}?name=nightly&order=desc&sort=name`);
    await expectNames(second.page, ['nightly 2', 'nightly 1']);
    await menu(second.page, 'Views: Every night').waitFor();
    await expect
      .poll(() => second.page.getByRole('columnheader', { name: 'Testset' }).count())
      .toBe(0);
    await second.page.getByRole('button', { name: /^Take away: Order/ }).click();
    await menu(second.page).waitFor();
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });

  test('are renamed and deleted, which can be undone', async () => {
    await using visitor = await stage.visit({ width: 390 });
    const { page } = visitor;
    await visitor.open(`${runs()}?name=hand`);
    await save(page, 'Mine', 'mine');
    const open = menu(page, 'Views: Mine');
    await open.click();
    await page.getByRole('button', { name: 'Rename “Mine”' }).click();
    const rename = page.getByRole('dialog', { name: 'Rename the view' });
    await rename.getByLabel('Name').fill('By hand');
    await rename.getByRole('button', { name: 'Save' }).click();
    const renamed = menu(page, 'Views: By hand');
    await renamed.click();
    await page.getByRole('button', { name: 'Delete “By hand”' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The view “By hand” is being deleted.').waitFor();
    await page.getByRole('button', { name: 'Delete now' }).click();
    await menu(page).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Views: By hand' }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  test('of a comparison keep its settings and leave its runs', async () => {
    const [baseline, candidate] = (
      await stage.assay.call('GET', `/projects/${projectId}/runs`)
    ).body.data.map(({ id }: { id: string }) => id);
    await using visitor = await stage.visit();
    const { page } = visitor;
    const compare = `/projects/${projectId}/compare?baseline=${baseline}&candidate=${candidate}`;
    await visitor.open(`${compare}&level=0.99`);
    await save(page, 'Strict', 'mine');
    await visitor.open(compare);
    await menu(page).click();
    await page.getByRole('button', { name: 'Strict', exact: true }).click();
    await expect.poll(() => page.url(), { timeout: 8000 }).toContain(`${compare}&level=0.99`);
    await menu(page, 'Views: Strict').waitFor();
  });
});
