import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the tags of a testset', (stage) => {
  const call: typeof stage.assay.call = (...given) => stage.assay.call(...given);

  async function createTestset() {
    const project = await call('POST', '/projects', { name: 'Support', description: '' });
    const projectId: string = project.body.id;
    const testset = await call('POST', `/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: {
        type: 'object',
        properties: {
          question: { type: 'string' },
          priority: { type: 'integer' },
          tags: { type: 'array', items: { type: 'string' } },
        },
      },
      fieldMapping: { inputs: ['question'], expected: [], metadata: ['priority', 'tags'] },
    });
    const testsetId: string = testset.body.id;
    await call('POST', `/testsets/${testsetId}/testcases`, {
      items: [
        { jsonData: { question: 'Where is it?', priority: 1, tags: ['parcel'] } },
        { jsonData: { question: 'Who pays?', priority: 2, tags: ['money', 'parcel'] } },
        { jsonData: { question: 'How long?', priority: 1 } },
      ],
    });
    return { testsetId, path: `/projects/${projectId}/testsets/${testsetId}` };
  }
  const expectQuestions = async (page: Page, wanted: string[]) => {
    const cells = page
      .getByRole('grid', { name: 'Testcases' })
      .getByRole('button', { name: /^question:/ });
    await expect.poll(() => cells.allTextContents()).toEqual(wanted);
  };
  const filter = async (page: Page, text: string) => {
    const box = page.getByRole('combobox', { name: 'Filter testcases' });
    await box.fill(text);
    await box.press('Enter');
  };

  test('are chosen in the schema, shown, filtered by, and changed for the testcases that are selected', async () => {
    const { testsetId, path } = await createTestset();
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${path}?tab=schema`);
    await page.getByLabel('Field of tags').selectOption('tags');
    await expect
      .poll(async () => (await call('GET', `/testsets/${testsetId}`)).body.tagsField)
      .toBe('tags');
    await page.getByRole('link', { name: 'Testcases' }).click();
    await page.getByRole('button', { name: /^tags: .*money/ }).waitFor();
    expect(await problemsOf(page)).toEqual([]);

    await filter(page, 'tag:parcel');
    await expectQuestions(page, ['Where is it?', 'Who pays?']);
    await filter(page, 'priority:2');
    await expectQuestions(page, ['Who pays?']);
    await page.reload();
    await expectQuestions(page, ['Who pays?']);

    await page.getByRole('checkbox', { name: /Who pays/ }).click();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('button', { name: 'Tag', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Tag 1 testcase' });
    await dialog.getByLabel('Add').fill('regression, refund');
    await dialog.getByLabel('Remove').fill('money');
    expect(await problemsOf(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: /^tags: .*regression/ }).waitFor();
    const found = await call('GET', `/testsets/${testsetId}/testcases?where={"/tags":"refund"}`);
    expect(found.body.data).toMatchObject([
      { jsonData: { tags: ['parcel', 'regression', 'refund'] } },
    ]);
    expect(visit.complaints).toEqual([]);
  });
});
