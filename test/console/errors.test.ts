import { poll } from '@assay/testing/poll';
import { beforeAll, expect, test } from 'vitest';
import { uploadRecords } from '../system/records.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser, textsOf } from './browser.ts';

/** Half of the questions break the second version of a system. */
const questions = Array.from({ length: 8 }, (_, number) => `Question ${number}`);

describeInBrowser('a system that fails', (stage) => {
  let projectId: string;
  const runs: Record<'sound' | 'broken', string> = { sound: '', broken: '' };
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;

  beforeAll(async () => {
    projectId = (await call('POST', '/projects', { name: 'Errors', description: '' })).id;
    const testset = await call('POST', `/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object' },
      fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
    });
    const { items } = await call('POST', `/testsets/${testset.id}/testcases`, {
      items: questions.map((question) => ({ jsonData: { question, answer: 'A' } })),
    });
    const metric = await call('POST', `/projects/${projectId}/metrics`, {
      name: 'Right',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    });
    for (const name of ['sound', 'broken'] as const) {
      const run = await call('POST', `/projects/${projectId}/runs`, {
        name,
        testsetId: testset.id,
        metricIds: [metric.id],
      });
      runs[name] = run.id;
      const records = questions.map((question, number) => ({
        testcaseId: items[number].id,
        inputs: { question },
        expected: { answer: 'A' },
        ...(name === 'broken' && number % 2 === 1
          ? { error: { name: 'ConnectionError', message: 'model down' } }
          : { outputs: { answer: 'A' } }),
      }));
      await uploadRecords(stage.assay.call, run.id, records);
      await poll('the run is scored', async () => {
        const { status } = await call('GET', `/runs/${run.id}`);
        return status === 'completed';
      });
    }
  });

  test('has a card of its errors on the page of its run, which leads to the records', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/runs/${runs.broken}`);
    const results = page.getByRole('region', { name: 'Results' });
    const card = results.getByRole('article').last();
    await card.getByText('50.0').waitFor();
    await card
      .getByText(
        'The system failed on 4 of 8 records: ConnectionError (4). Each counts as the worst value.',
      )
      .waitFor();
    await results.getByText(/8 records · 4 errors/).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await card.getByRole('link', { name: 'Show these records' }).click();
    await page.getByText('1–4 of 4').waitFor();
    expect(
      await textsOf(page.getByRole('list', { name: 'Filters in force' }).getByRole('listitem')),
    ).toEqual(['System: error✕']);
    await page.getByRole('combobox', { name: /^Filter / }).fill('Right:errored');
    await page.keyboard.press('Enter');
    await page.getByText('1–4 of 4').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('has its errors last in the table of figures, in the list of runs, and against a baseline', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const lastRow = (name: string) =>
      page.getByRole('region', { name }).getByRole('row').last().getByRole('cell');
    await visitor.open(`/projects/${projectId}/runs/${runs.broken}?tab=summary`);
    await page.getByRole('rowheader', { name: 'Errors' }).waitFor();
    expect((await textsOf(lastRow('Figures'))).slice(0, 2)).toEqual(['8', '8']);
    await visitor.open(`/projects/${projectId}/runs`);
    await expect
      .poll(async () => textsOf(page.getByRole('gridcell', { name: /50\.0/ })))
      .toHaveLength(2);
    await visitor.open(
      `/projects/${projectId}/compare?baseline=${runs.sound}&candidate=${runs.broken}&candidate=${runs.sound}`,
    );
    await expect
      .poll(async () => textsOf(lastRow('Runs against the baseline')))
      .toEqual([
        expect.stringMatching(/^0/),
        expect.stringMatching(/^50\.0.*undecided$/),
        expect.stringMatching(/^0/),
      ]);
    expect(visitor.complaints).toEqual([]);
  });
});
