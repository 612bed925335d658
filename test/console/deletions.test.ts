import type { Page } from 'playwright-core';
import { beforeEach, expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser, type Visitor } from './browser.ts';

describeInBrowser('a thing that is deleted', (stage) => {
  let projectId: string;
  let testsetId: string;
  const make = async (path: string, body: object) =>
    (await stage.assay.call('POST', path, body)).body.id as string;
  const statusOf = async (path: string) => (await stage.assay.call('GET', path)).status;

  beforeEach(async () => {
    projectId = await make('/projects', { name: 'Tidied', description: '' });
    testsetId = await make(`/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: 'Of customers',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    await stage.assay.call('POST', `/testsets/${testsetId}/testcases`, {
      items: [{ jsonData: { question: '1' } }, { jsonData: { question: '2' } }],
    });
  });

  /** The buttons go with their line, and leave the focus at the title. */
  const focused = (page: Page) => page.locator(':focus').textContent();

  const testsetPage = () => `/projects/${projectId}/testsets/${testsetId}`;

  async function deleteIt({ page, open }: Visitor, path: string, noun: string): Promise<void> {
    await open(path);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: `Delete the ${noun} …` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  }

  test('says what goes with it, and stays for ten seconds, in which it is undone', async () => {
    await using visitor = await stage.visit();
    const { page, open } = visitor;
    await open(testsetPage());
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Delete the testset …' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its 2 testcases go with it.').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(`**/projects/${projectId}/testsets`);
    const said = page.getByRole('status').getByText('The testset “Questions” is being deleted.');
    await said.waitFor();
    await page.locator('s', { hasText: 'Questions' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Undo' }).click();
    await said.waitFor({ state: 'detached' });
    await expect.poll(() => focused(page)).toBe('Testsets');
    await expect.poll(() => page.locator('s').count()).toBe(0);
    expect(await statusOf(`/testsets/${testsetId}`)).toBe(200);
    expect(visitor.complaints).toEqual([]);
  });

  test('goes at once where one says so, and out of its list', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await deleteIt(visitor, testsetPage(), 'testset');
    await page.getByRole('button', { name: 'Delete now' }).click();
    await page.getByText('No testsets yet').waitFor();
    await expect.poll(() => focused(page)).toBe('Testsets');
    expect(await statusOf(`/testsets/${testsetId}`)).toBe(404);
  });

  test('goes when the page is left', async () => {
    await using visitor = await stage.visit();
    await deleteIt(visitor, testsetPage(), 'testset');
    await visitor.page.getByRole('button', { name: 'Undo' }).waitFor();
    await visitor.open('/docs/');
    await expect.poll(() => statusOf(`/testsets/${testsetId}`)).toBe(404);
  });

  test('may be a metric, a system or a whole project', async () => {
    const metricId = await make(`/projects/${projectId}/metrics`, {
      name: 'Right',
      evalType: 'heuristic',
      outputType: 'boolean',
    });
    const systemId = await make(`/projects/${projectId}/systems`, {
      name: 'Bot',
      description: '',
      config: {},
    });
    await using visitor = await stage.visit();
    for (const [noun, path, api] of [
      ['metric', `/projects/${projectId}/metrics/${metricId}`, `/metrics/${metricId}`],
      ['system', `/projects/${projectId}/systems/${systemId}`, `/systems/${systemId}`],
      ['project', `/projects/${projectId}`, `/projects/${projectId}`],
    ] as const) {
      await deleteIt(visitor, path, noun);
      await visitor.page.getByRole('button', { name: 'Delete now' }).click();
      await expect.poll(() => statusOf(api), { message: noun }).toBe(404);
    }
    expect(visitor.complaints).toEqual([]);
  });

  test('can be renamed instead, with its description', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(testsetPage());
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Rename …' }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill('Answers');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Answers' }).waitFor();
    const { body } = await stage.assay.call('GET', `/testsets/${testsetId}`);
    expect(body).toMatchObject({ name: 'Answers', description: 'Of customers' });
  });
});
