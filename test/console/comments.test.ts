import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser, type Visitor } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

describeInBrowser('comments', (stage) => {
  let content: Content;
  let graceId: string;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
    const grace = { email: 'grace@example.com', name: 'Grace <b>Hopper</b>' };
    graceId = (await stage.assay.call('POST', '/members', grace)).body.userId;
  });

  const inProject = (path = '') => `/projects/${content.projectId}${path}`;

  /** Grace in a browser of her own. */
  async function visitAsGrace(): Promise<Visitor> {
    const { link } = (await stage.assay.call('POST', `/members/${graceId}/sign-in-link`, {})).body;
    const visitor = await stage.visit({ key: null });
    await visitor.open(link.slice(new URL(link).origin.length));
    await visitor.page.getByRole('heading', { name: 'Projects', level: 1 }).waitFor();
    return visitor;
  }

  /** Writes a comment that mentions Grace, whose name is completed, and sends it. */
  async function mentionGrace(page: Page, label: string, text: string): Promise<void> {
    const field = page.getByRole('textbox', { name: label });
    await field.fill('');
    await field.pressSequentially('@gra');
    const offered = page.getByRole('listbox', { name: 'Members' });
    await offered.getByRole('option', { name: 'Grace <b>Hopper</b>' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.keyboard.type(text);
    await page.keyboard.press('Enter');
    await page
      .getByRole('listitem')
      .filter({ hasText: `@Grace <b>Hopper</b> ${text}` })
      .waitFor();
    await expect.poll(() => field.inputValue()).toBe('');
  }

  test('on records, pairs, testcases and traces mention a member, who finds them in Overview', async () => {
    await using ada = await stage.visit();
    const { page } = ada;
    await ada.open(inProject(`/records/${content.recordId}`));
    await mentionGrace(page, 'Comment', 'is this right?');
    await ada.open(inProject(`/traces/${content.traceId}`));
    await mentionGrace(page, 'Comment on this span', 'why so slow?');
    await ada.open(
      inProject(`/compare?baseline=${content.baselineRunId}&candidate=${content.candidateRunId}`),
    );
    await page.getByRole('button', { name: 'Comments', exact: true }).first().click();
    await mentionGrace(page, 'Comment on this pair', 'which is better?');
    const { body } = await stage.assay.call('GET', `/testsets/${content.testsetId}/testcases`);
    await ada.open(inProject(`/testsets/${content.testsetId}?testcase=${body.data[0].id}`));
    await mentionGrace(page, 'Comment on this testcase', 'is it a duplicate?');

    await using grace = await visitAsGrace();
    await grace.open(inProject());
    const mentions = grace.page.getByRole('region', { name: 'Mentions' }).getByRole('listitem');
    await expect.poll(() => mentions.count()).toBe(4);
    expect(await problemsOf(grace.page)).toEqual([]);
    await grace.page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(grace.page)).toEqual([]);
    for (const [link, said] of [
      ['the record', 'is this right?'],
      ['the trace', 'why so slow?'],
      ['the pair', 'which is better?'],
      ['the testcase', 'is it a duplicate?'],
    ] as const) {
      await grace.open(inProject());
      await mentions.filter({ hasText: said }).getByRole('link', { name: link }).click();
      const there = grace.page.getByRole('region', { name: 'Annotations' }).getByText(said);
      await there.waitFor();
      await expect.poll(() => grace.page.getByTitle('Edit the annotation').count()).toBe(0);
    }
    await ada.open(inProject());
    await page.getByRole('region', { name: 'What waits' }).waitFor();
    await expect.poll(() => page.getByRole('region', { name: 'Mentions' }).count()).toBe(0);
    expect([...ada.complaints, ...grace.complaints]).toEqual([]);
  });

  test('are changed and deleted by the one who wrote them, on a telephone too', async () => {
    await using visitor = await stage.visit({ width: 390, theme: 'dark' });
    const { page } = visitor;
    await visitor.open(inProject(`/records/${content.recordId}`));
    const annotations = page.getByRole('region', { name: 'Annotations' });
    await annotations
      .getByRole('textbox', { name: 'Comment' })
      .fill('Too shrt @Grace <b>Hopper</b>');
    await annotations.getByRole('button', { name: 'Add' }).click();
    await annotations.getByRole('listitem').filter({ hasText: 'Too shrt' }).waitFor();
    const said = annotations.getByRole('listitem').last();
    await said.getByTitle('Edit the annotation').click();
    const field = said.getByRole('textbox', { name: 'Change the comment' });
    await expect.poll(() => field.inputValue()).toBe('Too shrt @Grace <b>Hopper</b>');
    expect(await problemsOf(page)).toEqual([]);
    // The form has the focus, so that Escape ends it, and not the visit of the record.
    const focused = page.locator(':focus');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused.getAttribute('title')).toBe('Edit the annotation');
    await page.keyboard.press('Enter');
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Change the comment');
    await page.keyboard.press('Control+a');
    await page.keyboard.type('Too short');
    await page.keyboard.press('Enter');
    await said.getByText('Too short').waitFor();
    await said.getByText(/edited/).waitFor();
    await expect.poll(() => focused.getAttribute('title')).toBe('Edit the annotation');
    await said.getByTitle('Delete the annotation').click();
    await expect.poll(() => focused.getAttribute('title')).toBe('Undo the deletion');
    await said.locator('s', { hasText: 'Too short' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await expect.poll(() => said.locator('s').count()).toBe(0);
    await said.getByTitle('Delete the annotation').click();
    await annotations.getByText('Too short').waitFor({ state: 'detached' });
    const title = await page.getByRole('heading', { level: 1 }).textContent();
    await expect.poll(() => focused.textContent()).toBe(title);
    expect(visitor.complaints).toEqual([]);
  });
});
