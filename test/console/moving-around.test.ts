import { operatorIdentity } from '@assay/runtime/signature';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

describeInBrowser('moving around', (stage) => {
  let content: Content;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
  });

  test('by a palette: a page, a name, or an id that was pasted', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { projectId, baselineRunId, recordId, traceId } = content;
    const go = async (text: string, option: RegExp) => {
      await page.keyboard.press('Control+k');
      const field = page.getByRole('combobox', { name: 'A page, a name or an id' });
      await field.fill(text);
      await page.getByRole('option', { name: option }).first().waitFor();
      await page.keyboard.press('Enter');
    };
    await visitor.open(`/projects/${projectId}`);
    await page.getByRole('heading', { name: 'Capitals' }).waitFor();
    await go('syst', /Systems/);
    await page.waitForURL('**/systems');
    await go(baselineRunId, /Run/);
    await page.waitForURL(`**/runs/${baselineRunId}`);
    await go(recordId, /Record/);
    await page.waitForURL(`**/records/${recordId}`);
    await go(traceId, /Trace/);
    await page.waitForURL(`**/traces/${traceId}`);
    await go('Settings: keys', /keys/);
    await page.waitForURL('**/settings/keys');
  });

  test('takes what is typed before the field to go elsewhere is there', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    let answer = () => {};
    const answered = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route('**/assets/palette*.js', async (route) => {
      await answered;
      await route.continue();
    });
    await visitor.open(`/projects/${content.projectId}`);
    await page.getByRole('heading', { name: 'Capitals' }).waitFor();
    await page.keyboard.press('Control+k');
    // `g r` would be a shortcut to the runs.
    await page.keyboard.type('grx');
    await page.keyboard.press('Backspace');
    answer();
    const field = page.getByRole('combobox', { name: 'A page, a name or an id' });
    await expect.poll(() => field.inputValue()).toBe('gr');
    await page.keyboard.type('a');
    await expect.poll(() => field.inputValue()).toBe('gra');
    expect(new URL(page.url()).pathname).toBe(`/projects/${content.projectId}`);
  });

  test('by keys, which the help names, and which fields keep for themselves', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}`);
    await page.getByRole('heading', { name: 'Capitals' }).waitFor();
    await page.keyboard.type('gr');
    await page.waitForURL('**/runs');
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Shortcuts of this page' });
    await help.getByText('Go to the overview').waitFor();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.getByLabel('Filter runs').fill('');
    await page.keyboard.type('go?');
    await expect.poll(() => page.getByLabel('Filter runs').inputValue()).toBe('go?');
    expect(await help.count()).toBe(0);
  });

  test('by the Tab key: the first stop skips to the content, and the focus is always seen', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}/runs`);
    await page
      .getByRole('link', { name: /^Run of/ })
      .first()
      .waitFor();
    const first = page.locator('a, button, input, select, summary, [tabindex="0"]').first();
    await expect.poll(() => first.textContent()).toBe('Skip to the content');
    await first.focus();
    expect((await first.boundingBox())!.x).toBeGreaterThanOrEqual(0);
    const seen = new Set<string>();
    for (let stop = 0; stop < 30; stop += 1) {
      await page.keyboard.press('Tab');
      const focus = page.locator(':focus');
      if ((await focus.count()) === 0) continue;
      const box = await focus.boundingBox();
      expect(box, await focus.evaluate((element) => element.outerHTML)).not.toBeNull();
      seen.add((await focus.getAttribute('aria-label')) ?? (await focus.textContent()) ?? '');
    }
    expect(seen.size).toBeGreaterThan(10);
    expect([...seen]).toContain('Columns');
  });

  test('to where there is nothing says so, and leads up', async () => {
    await using visitor = await stage.visit();
    await visitor.open('/projects/nothing/of/this');
    await visitor.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await visitor.open(`/projects/${content.projectId}/runs/00000000-0000-7000-8000-000000000000`);
    await visitor.page.getByText('There is no run with this id.').waitFor();
    expect(await visitor.page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    await visitor.page.getByRole('main').getByRole('link', { name: 'Overview' }).click();
    await visitor.page.waitForURL(`**/projects/${content.projectId}`);
    await visitor.open('/settings/nothing');
    await visitor.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    await visitor.open('/projects/00000000-0000-7000-8000-000000000000/runs');
    await visitor.page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    const { page } = visitor;
    await expect.poll(() => page.title()).toBe('Not found · Assay');
    expect(await page.getByRole('link', { name: 'Testsets' }).count()).toBe(0);
  });

  test('from the settings back to the project, by its menu, which can be narrow', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}`);
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.waitForURL('**/settings/organization');
    await expect.poll(() => page.title()).toBe('Organization · Settings · Assay');
    await page.getByRole('button', { name: /^Project: Capitals/ }).waitFor();
    const names = page.getByRole('button', { name: 'Names of the sections' });
    const width = async () => (await page.getByRole('banner').boundingBox())!.width;
    expect(await width()).toBeGreaterThan(150);
    await names.click();
    expect(await width()).toBeLessThan(60);
    await page.getByRole('link', { name: 'Testsets' }).click();
    await page.waitForURL(`**/projects/${content.projectId}/testsets`);
    await expect.poll(() => page.title()).toBe('Testsets · Capitals · Assay');
    await page.reload();
    await names.waitFor();
    expect(await width()).toBeLessThan(60);
  });

  test('to another project by a part of its name', async () => {
    const other = await stage.assay.call('POST', '/projects', { name: 'Rivers', description: '' });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}`);
    await page.getByRole('button', { name: /^Project: Capitals/ }).click();
    await page.getByRole('link', { name: 'Rivers' }).waitFor();
    await page.keyboard.type('riv');
    await expect.poll(() => page.getByRole('link', { name: 'Capitals' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Rivers' }).click();
    await page.waitForURL(`**/projects/${other.body.id}`);
    await page.getByRole('button', { name: /^Project: Rivers/ }).waitFor();
    expect(await page.getByLabel('Find a project').isVisible()).toBe(false);
  });

  test('on a telephone by a menu that closes when one goes', async () => {
    await using visitor = await stage.visit({ width: 390, height: 700 });
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}`);
    const systems = page.getByRole('link', { name: 'Systems' });
    expect(await systems.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Menu' }).click();
    await systems.click();
    await page.waitForURL('**/systems');
    await systems.waitFor({ state: 'hidden' });
  });

  test('from a record up to its run by Escape, from whose head to what was evaluated', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { projectId, recordId, baselineRunId, testsetId } = content;
    await visitor.open(`/projects/${projectId}/records/${recordId}`);
    await page.getByRole('region', { name: 'Scores' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(`**/runs/${baselineRunId}`);
    await page.getByText('of 4', { exact: false }).first().waitFor();
    await page.getByRole('link', { name: /Version 1$/ }).waitFor();
    await page.getByRole('link', { name: 'Europe' }).click();
    await page.waitForURL(`**/testsets/${testsetId}`);
  });

  test('in the settings: what the organization has used, as figures, and as bars where there is a limit', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/settings/usage');
    const usage = page.getByRole('region', { name: 'Usage' });
    await usage.getByText(/^\d+, no limit$/).waitFor();
    await usage.getByText('up to 1,000,000 a minute').waitFor();
    expect(await usage.locator('svg').count()).toBe(0);
    const { id: organizationId } = (await stage.assay.call('GET', '/organization')).body;
    const { used } = (await stage.assay.call('GET', '/organization/usage')).body.records;
    const change = { recordsMax: 4 * used, judgeBudgetUsdPerDay: 25 };
    await stage.assay.asOperator((ask) =>
      ask.setLimits(operatorIdentity, { organizationId, change }),
    );
    await page.reload();
    await usage.getByText(`${used} of ${4 * used}`, { exact: true }).waitFor();
    await usage.getByText('$0.00 of $25.00', { exact: true }).waitFor();
    await usage
      .getByText(/begins anew in /)
      .first()
      .waitFor();
    await usage.getByText(/Neither members nor admins can change a limit/).waitFor();
    const widths = () =>
      usage
        .locator('svg > rect:last-child')
        .evaluateAll((bars) => bars.map((bar) => bar.getAttribute('width')));
    expect(await widths()).toEqual(['25', '0']);
  });

  test('in the settings: the secret of a new key is shown once, and the key ends by its name', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/settings/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    const create = page.getByRole('dialog', { name: 'New API key' });
    await create.getByLabel('Name', { exact: true }).fill('CI');
    await create.getByRole('button', { name: 'Create' }).click();
    const shown = page.getByRole('dialog', { name: 'Store the key now' });
    const secret = (await shown.locator('pre').first().textContent())!.trim();
    expect((await stage.assay.call('GET', '/projects', undefined, { key: secret })).status).toBe(
      200,
    );
    await shown.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('CI', { exact: true }).first().waitFor();
    expect(await page.locator('body').innerHTML()).not.toContain(secret);
    await page.reload();
    await page.getByText('CI', { exact: true }).first().waitFor();
    expect(await page.locator('body').innerHTML()).not.toContain(secret);
  });
});
