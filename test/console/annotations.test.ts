import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './browser.ts';

/** A text that turns around on a page, with an emoji and a control character. */
const hostile = 'user\u202Egnp.exe 😀\u0000 <b>bold</b> the end';
const long = `${'😀é\\n'.repeat(20_000)}NEEDLE ${'x'.repeat(200_000)}`;

describeInBrowser('annotations of a passage', (stage) => {
  let project: string;
  let run: string;
  beforeAll(async () => {
    const { call } = stage.assay;
    project = (await call('POST', '/projects', { name: 'Notes', description: '' })).body.id;
    run = (await call('POST', `/projects/${project}/runs`, { metricIds: [] })).body.id;
  });

  async function newRecord(outputs: unknown) {
    const { call } = stage.assay;
    const record = await call('POST', `/runs/${run}/records`, {
      inputs: {},
      expected: {},
      outputs,
    });
    expect(record.status, record.text).toBe(201);
    return { id: record.body.id, path: `/projects/${project}/records/${record.body.id}` };
  }

  const annotationsOf = async (id: string) =>
    (await stage.assay.call('GET', `/records/${id}/annotations`)).body.data;

  /** Selects a part of a drawn text, as a mouse does. */
  const select = (page: Page, text: string) =>
    page.evaluate(`(() => {
      const wanted = ${JSON.stringify(text)};
      const node = [...document.querySelectorAll('[data-payload] p')]
        .flatMap((element) => [...element.childNodes])
        .find((child) => child.textContent.includes(wanted));
      const from = node.textContent.indexOf(wanted);
      document.getSelection().setBaseAndExtent(node, from, node, from + wanted.length);
    })()`);

  test('a passage that is selected gets a comment, is marked in its text, and each leads to the other', async () => {
    const record = await newRecord({ answer: hostile, other: 'nothing' });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(record.path);
    await page.getByText('the end').first().waitFor();
    await select(page, '⟨U+202E⟩gnp.exe 😀⟨U+0000⟩ <b>');
    await page.getByRole('button', { name: 'Annotate' }).click();
    await page.getByLabel('Rating').selectOption('bad');
    await page.getByLabel('Comment').last().fill('A name that lies');
    await page.getByRole('button', { name: 'Save' }).click();
    const mark = page.getByRole('region', { name: 'Outputs', exact: true }).locator('mark');
    await mark.waitFor();
    await expect.poll(() => mark.textContent()).toBe('⟨U+202E⟩gnp.exe 😀⟨U+0000⟩ <b>');
    const [{ id, rating, comment, passage }] = await annotationsOf(record.id);
    expect({ rating, comment, passage }).toEqual({
      rating: false,
      comment: 'A name that lies',
      passage: {
        payload: 'outputs',
        pointer: '/answer',
        start: 4,
        end: 19,
        text: [...hostile].slice(4, 19).join(''),
      },
    });
    const said = page.getByRole('region', { name: 'Annotations' }).getByRole('listitem');
    await mark.getByRole('link').click();
    await expect.poll(() => page.locator('li:focus').textContent()).toContain('A name that lies');
    expect(page.url()).toContain(`annotation=${id}`);
    await said.getByRole('link').click();
    await page.locator('mark[data-chosen]').waitFor();
    const line = "getComputedStyle(document.querySelector('mark a')).textDecorationLine";
    expect(await page.evaluate(line)).toBe('underline');
    expect(visit.complaints).toEqual([]);
  });

  test('by the keyboard alone: a text is chosen, its part selected, and the annotation saved', async () => {
    const record = await newRecord({ answer: 'Oslo is right' });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(record.path);
    await page.getByText('Oslo is right').waitFor();
    await page.keyboard.press('a');
    const passage = page.getByLabel('Passage: the selected part');
    await passage.waitFor();
    await passage.focus();
    for (let count = 0; count < ' is right'.length; count += 1)
      await page.keyboard.press('Shift+ArrowLeft');
    await page.getByText('“Oslo”, 4 characters').waitFor();
    await page.getByLabel('Comment').last().focus();
    await page.keyboard.type('The city');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('mark').allTextContents()).toEqual(['Oslo']);
  });

  test('in the middle of a string of several pages has the offsets of the value, and its page is shown', async () => {
    const record = await newRecord({ answer: JSON.parse(`"${long}"`) });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(record.path);
    await page.getByRole('button', { name: 'Find' }).nth(1).waitFor();
    while ((await page.getByText('NEEDLE').count()) === 0)
      await page.getByRole('button', { name: 'Continue' }).click();
    await select(page, 'NEEDLE');
    await page.keyboard.press('a');
    await page.getByLabel('Comment').last().fill('found');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('mark').waitFor();
    const [{ id, passage }] = await annotationsOf(record.id);
    expect(passage).toMatchObject({ start: 60_000, end: 60_006, text: 'NEEDLE' });
    await visit.open(`${record.path}?annotation=${id}`);
    await expect
      .poll(() => page.locator('mark[data-chosen]').allTextContents())
      .toEqual(['NEEDLE']);
  });

  test('of a string deep in JSON is made in the tree by the keyboard, and is shown from the list in every view', async () => {
    const record = await newRecord({ 'a/b': [{ deep: { text: 'one two three' } }] });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${record.path}?view=json`);
    const outputs = page.getByRole('region', { name: 'Outputs', exact: true });
    await outputs.getByRole('treeitem').filter({ hasText: 'one two three' }).first().waitFor();
    await outputs.getByRole('tree').focus();
    await page.keyboard.press('End');
    while ((await outputs.getByRole('region', { name: /^Text at/ }).count()) === 0) {
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('End');
      await page.keyboard.press('Enter');
    }
    await select(page, 'two');
    await page.keyboard.press('a');
    await page.getByLabel('Comment').last().fill('the second');
    await page.getByRole('button', { name: 'Save' }).click();
    await outputs.locator('mark').waitFor();
    const [{ id, passage }] = await annotationsOf(record.id);
    expect(passage).toMatchObject({ pointer: '/a~1b/0/deep/text', start: 4, end: 7, text: 'two' });
    for (const view of ['reading', 'json', 'raw', 'diff']) {
      await visit.open(`${record.path}?view=${view}&annotation=${id}`);
      await expect
        .poll(() => page.locator('mark[data-chosen]').allTextContents(), { message: view })
        .toEqual(['two']);
    }
    expect(visit.complaints).toEqual([]);
  });

  test('whose offsets do not fit is quoted in the list, and marks nothing', async () => {
    const record = await newRecord({ answer: 'short' });
    await stage.assay.call('POST', `/records/${record.id}/annotations`, {
      comment: 'of another text',
      passage: { payload: 'outputs', pointer: '/answer', start: 1, end: 5, text: 'long' },
    });
    await using visit = await stage.visit();
    await visit.open(record.path);
    await visit.page.getByText('“long”').waitFor();
    await visit.page.getByText('short', { exact: true }).waitFor();
    expect(await visit.page.locator('mark').count()).toBe(0);
  });
});
