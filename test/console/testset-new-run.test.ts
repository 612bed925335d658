import { expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

describeInBrowser('a new run of the testcases that are shown', (stage) => {
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;

  test('is over these alone, of answers that were pasted and of code', async () => {
    const project = await call('POST', '/projects', { name: 'Support', description: '' });
    const testset = await call('POST', `/projects/${project.id}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: {}, topic: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: ['topic'] },
    });
    await call('POST', `/testsets/${testset.id}/testcases`, {
      items: ['payment', 'parcel', 'parcel'].map((topic, index) => ({
        jsonData: { question: `Question ${index}?`, topic },
      })),
    });
    const runs = async () => (await call('GET', `/projects/${project.id}/runs`)).data;
    const where = { '/topic': 'parcel' };
    const shown = `/projects/${project.id}/testsets/${testset.id}?where=${encodeURIComponent(JSON.stringify(where))}`;
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(shown);
    const begin = () =>
      page.getByRole('main').getByRole('link', { name: 'New run', exact: true }).click();
    await begin();
    await page.getByText('Only the testcases with {"/topic":"parcel"}').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    // By their order, which only as many rows as testcases have.
    await page.getByLabel('Or paste them').fill('answer\nFirst\nSecond\n');
    await page.getByRole('button', { name: 'Check', exact: true }).click();
    await page.getByRole('button', { name: 'Create the run' }).click();
    await page.getByText('2 of 2 records stored').waitFor();
    const [pasted] = await runs();
    expect(pasted).toMatchObject({ where, numTestcases: 2, numTestsetTestcases: 3 });
    const records = (await call('GET', `/runs/${pasted.id}/records`)).data;
    expect(
      records.map(({ inputs }: { inputs: { question: string } }) => inputs.question).toSorted(),
    ).toEqual(['Question 1?', 'Question 2?']);

    await visit.open(shown);
    await begin();
    await page.getByRole('link', { name: 'From your code' }).click();
    await page.getByRole('button', { name: 'Create the run' }).click();
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    expect((await runs())[0]).toMatchObject({ where, numExpectedRecords: 2, numRecords: 0 });
    expect(visit.complaints).toEqual([]);
  });

  test('is not offered for testcases that are found by their text, and is over all where none are filtered', async () => {
    const project = await call('POST', '/projects', { name: 'Support', description: '' });
    const testset = await call('POST', `/projects/${project.id}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: {} } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    await using visit = await stage.visit();
    const { page } = visit;
    const path = `/projects/${project.id}/testsets/${testset.id}`;
    const link = page.getByRole('main').getByRole('link', { name: 'New run', exact: true });
    await visit.open(`${path}?q=parcel`);
    await page.getByRole('button', { name: 'Paste rows' }).waitFor();
    expect(await link.count()).toBe(0);
    await visit.open(path);
    await link.click();
    await page.getByRole('link', { name: 'From your code' }).waitFor();
    expect(await page.getByText('Only the testcases with').count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });
});
