import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the history of a testset', (stage) => {
  const call: typeof stage.assay.call = (...given) => stage.assay.call(...given);

  async function createTestset() {
    const project = await call('POST', '/projects', { name: 'Support', description: '' });
    const projectId: string = project.body.id;
    const testset = await call('POST', `/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const testsetId: string = testset.body.id;
    const questions = ['Where is my blue parcel?', 'Who pays the way back?'];
    const created = await call('POST', `/testsets/${testsetId}/testcases`, {
      items: questions.map((question) => ({ jsonData: { question } })),
    });
    const ids: string[] = created.body.items.map(({ id }: { id: string }) => id);
    return { ids, path: `/projects/${projectId}/testsets/${testsetId}` };
  }
  const questionOf = async (id: string) =>
    (await call('GET', `/testcases/${id}`)).body.jsonData?.question;
  const rowOf = (page: Page, name: RegExp) =>
    page.getByRole('grid', { name: 'Changes' }).getByRole('row', { name });

  test('a deleted testcase is seen and restored', async () => {
    const { ids, path } = await createTestset();
    await call('POST', '/testcases/bulk-delete', { ids: [ids[1]] });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(path);
    await page.getByRole('link', { name: 'History' }).click();
    await rowOf(page, /blue parcel.*Added/).waitFor();
    expect(await questionOf(ids[1]!)).toBeUndefined();
    expect(await problemsOf(page)).toEqual([]);
    await rowOf(page, /way back.*Deleted/).click();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Restore the testcase' }).click();
    await rowOf(page, /way back.*Added/).waitFor();
    expect(await questionOf(ids[1]!)).toBe('Who pays the way back?');
    expect(visit.complaints).toEqual([]);
  });

  test('a testcase has its versions with their differences, and any of them again', async () => {
    const { ids, path } = await createTestset();
    const [id] = ids;
    await call('PUT', `/testcases/${id}`, { jsonData: { question: 'Where is my red parcel?' } });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(path);
    const row = page.getByRole('row', { name: /red parcel/ });
    await row.getByRole('button', { name: 'Edit as JSON' }).click();
    const dialog = page.getByRole('dialog', { name: 'Data of the testcase' });
    await dialog.getByText('Earlier versions').click();
    await dialog.getByText(/^Version 1, until .+ updated it/).waitFor();
    await expect.poll(() => dialog.locator('del').allTextContents()).toEqual(['blue']);
    await expect.poll(() => dialog.locator('ins').allTextContents()).toEqual(['red']);
    expect(await problemsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Restore version 1' }).click();
    await page.getByRole('row', { name: /blue parcel/ }).waitFor();
    expect(await questionOf(id!)).toBe('Where is my blue parcel?');
    expect(visit.complaints).toEqual([]);
  });
});
