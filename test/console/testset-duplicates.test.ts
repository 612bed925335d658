import { expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('the duplicates of a testset', (stage) => {
  test('testcases with the same inputs are seen side by side, and one is deleted', async () => {
    const { assay } = stage;
    const project = await assay.call('POST', '/projects', { name: 'Support', description: '' });
    const testset = await assay.call('POST', `/projects/${project.body.id}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: {
        type: 'object',
        properties: { question: { type: 'string' }, ideal: { type: 'string' } },
      },
      fieldMapping: { inputs: ['question'], expected: ['ideal'], metadata: [] },
    });
    const path = `/testsets/${testset.body.id}`;
    const data = [
      { question: 'Where is it?', ideal: 'Here.' },
      { question: 'Who pays?', ideal: 'You.' },
      { question: 'Where is it?', ideal: 'There.' },
    ];
    await assay.call('POST', `${path}/testcases`, {
      items: data.map((jsonData) => ({ jsonData })),
    });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${project.body.id}${path}`);
    await page.getByRole('link', { name: 'Duplicates' }).click();
    const rows = page
      .getByRole('region', { name: 'Testcases with the same inputs' })
      .locator('tbody tr');
    await expect
      .poll(() => rows.allTextContents())
      .toEqual([
        expect.stringMatching(/Where is it\?.*2.*Here\./),
        expect.stringContaining('There.'),
      ]);
    expect(await problemsOf(page)).toEqual([]);
    await rows.nth(1).getByRole('button', { name: 'Edit as JSON' }).click();
    await page.getByRole('dialog', { name: 'Data of the testcase' }).waitFor();
    await page.keyboard.press('Escape');
    await rows.nth(1).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
    await page.getByText('No two testcases have the same inputs.').waitFor();
    const left = await assay.call('GET', `${path}/testcases`);
    expect(left.body.data.map(({ jsonData }: { jsonData: unknown }) => jsonData)).toEqual(
      data.slice(0, 2),
    );
    expect(visit.complaints).toEqual([]);
  });
});
