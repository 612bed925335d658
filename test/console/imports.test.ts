import { startTcpProxy } from '@assay/testing/tcp-proxy';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { archive, sample } from '../../shared/import/test/inspect.ts';
import { plain, run, score, trace } from '../../shared/import/test/langfuse.ts';
import * as openaiEvals from '../../shared/import/test/openai-evals.ts';
import { parquet } from '../../shared/import/test/parquet.ts';
import { output, row } from '../../shared/import/test/promptfoo.ts';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser, type Visitor } from './browser.ts';

type Files = Record<string, unknown>;

const buffersOf = (files: Files) =>
  Object.entries(files).map(([name, content]) => ({
    name,
    mimeType: 'application/octet-stream',
    buffer:
      content instanceof Uint8Array || typeof content === 'string'
        ? Buffer.from(content)
        : Buffer.from(JSON.stringify(content)),
  }));

const langfuse: Files = {
  'items.json': [plain],
  'run.json': run,
  'traces.json': [trace],
  'scores.json': {
    data: [
      score('share', 0.5),
      score('tone', 0, { dataType: 'CATEGORICAL', stringValue: 'good' }),
      score('points', 37),
    ],
  },
};

describeInBrowser('an import of what another tool wrote', (stage) => {
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;
  const newProject = async (): Promise<string> =>
    (await call('POST', '/projects', { name: 'Imports', description: '' })).id;

  const choose = (page: Page, files: Files) =>
    page.getByLabel('Files', { exact: true }).setInputFiles(buffersOf(files));

  /** Drops files on the page, as a person does from a folder. */
  const drop = (page: Page, files: Files) =>
    page.evaluate(
      `{
        const transfer = new DataTransfer();
        for (const [name, base64] of ${JSON.stringify(
          buffersOf(files).map(({ name, buffer }) => [name, buffer.toString('base64')]),
        )})
          transfer.items.add(new File([Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))], name));
        window.dispatchEvent(new DragEvent('dragover', { dataTransfer: transfer, cancelable: true }));
        window.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, cancelable: true }));
      }`,
    );

  const start = (page: Page) => page.getByRole('button', { name: 'Import', exact: true }).click();

  async function openImport(visitor: Visitor, projectId: string): Promise<void> {
    await visitor.open(`/projects/${projectId}/import`);
    await visitor.page.getByRole('heading', { name: 'Import what another tool wrote' }).waitFor();
  }

  test('results of promptfoo that are dropped are a run with its scores; a repeat changes nothing', async () => {
    const projectId = await newProject();
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await visitor.open(`/projects/${projectId}/runs`);
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { name: 'Import what another tool wrote' }).waitFor();
    await drop(page, output([row, { ...row, testIdx: 1, vars: { country: 'Peru' } }]));
    await page
      .getByText(/^1 testset, 2 testcases, \d metrics, 1 system version, 1 run, 2 records/)
      .waitFor();
    await start(page);
    await page.getByText(/^2 testcases, 2 records, \d+ scores stored\./).waitFor();
    await page.getByRole('link', { name: 'Show the run' }).click();
    await page.getByRole('columnheader', { name: 'promptfoo pass' }).waitFor();
    const [stored] = (await call('GET', `/projects/${projectId}/runs`)).data;
    expect(stored).toMatchObject({ numRecords: 2, labels: { importedFrom: 'promptfoo' } });

    await openImport(visitor, projectId);
    await choose(page, output([row, { ...row, testIdx: 1, vars: { country: 'Peru' } }]));
    await start(page);
    await page.getByText('Everything is there already.').waitFor();
    expect((await call('GET', `/projects/${projectId}/runs`)).data).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('a log of Inspect becomes a new project of the name that is given, from the list of projects', async () => {
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await visitor.open('/projects');
    await page.getByRole('link', { name: 'Import', exact: true }).click();
    await choose(page, archive([sample, { ...sample, id: 'it' }], 8));
    await page.getByText('Inspect', { exact: false }).first().waitFor();
    await expect.poll(() => page.getByLabel('Import into').inputValue()).toBe('new');
    await page.getByLabel('Its name').fill('Logs <b>of Inspect</b>');
    await page.getByLabel('Name of the testset').fill('<img src=x onerror=alert(1)>');
    await start(page);
    await page.getByText('In the new project').waitFor();
    await page.getByRole('link', { name: '<img src=x onerror=alert(1)>' }).waitFor();
    await page.getByRole('link', { name: 'Logs <b>of Inspect</b>' }).click();
    await page.getByRole('heading', { name: 'Logs <b>of Inspect</b>', level: 1 }).waitFor();
    await page.getByText('match').first().waitFor();
    expect(complaints).toEqual([]);
  });

  test('the files of Langfuse say what is lost, take the words that pass, and end with a report', async () => {
    const projectId = await newProject();
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await openImport(visitor, projectId);
    await choose(page, langfuse);
    await page.getByText('2 things cannot be carried as they are').waitFor();
    await page.getByText('The scores of "tone" are words, such as "good"').waitFor();
    await page.getByLabel('Words that pass').fill('tone=good:bad');
    await page.getByRole('button', { name: 'Read again' }).click();
    await page.getByText('1 thing cannot be carried as it is').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(page)).toEqual([]);
    await start(page);
    await page.getByText('1 testcase, 1 record, 2 scores stored.').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download the report' }).click();
    const chunks: Buffer[] = [];
    for await (const chunk of await (await download).createReadStream())
      chunks.push(chunk as Buffer);
    expect(JSON.parse(Buffer.concat(chunks).toString())).toMatchObject({
      format: 'langfuse',
      runs: [{ name: 'first', created: 1, scores: 2 }],
      losses: [{ reason: expect.stringContaining('points') }],
    });
    expect(complaints).toEqual([]);
  });

  test('answers of OpenAI Evals in several files, and a table of Parquet with the roles that are chosen, are read here', async () => {
    const projectId = await newProject();
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await openImport(visitor, projectId);
    const { evaluation, run, item } = openaiEvals;
    await choose(page, {
      'eval.json': evaluation,
      'run.json': run,
      'items.json': { object: 'list', data: [item], has_more: false },
    });
    await start(page);
    await page.getByText('1 testcase, 1 record, 3 scores stored.').waitFor();

    await page.getByRole('button', { name: 'Import other files' }).click();
    await choose(page, {
      'capitals.parquet': parquet([
        { name: 'question', data: ['Capital of France?', 'Capital of Peru?'], type: 'STRING' },
        { name: 'answer', data: ['Paris', 'Lima'], type: 'STRING' },
        { name: 'number', data: [1, 2], type: 'INT32' },
      ]),
    });
    await page.getByText('1 testset, 2 testcases').waitFor();
    await page.getByLabel('Role of the column number').selectOption('ignored');
    await page.getByLabel('Role of the column answer').selectOption('metadata');
    await page.getByLabel('Key of each row').selectOption('question');
    await start(page);
    await page.getByText('2 testcases stored.').waitFor();
    const { data } = await call('GET', `/projects/${projectId}/testsets`);
    const table = data.find(({ name }: { name: string }) => name === 'capitals');
    expect(table.fieldMapping).toEqual({
      inputs: ['question'],
      expected: [],
      metadata: ['answer'],
    });
    const cases = await call('GET', `/testsets/${table.id}/testcases`);
    expect(cases.data.map(({ key }: { key: string }) => key).toSorted()).toEqual([
      'Capital of France?',
      'Capital of Peru?',
    ]);
    expect(complaints).toEqual([]);
  });

  test('a damaged file is told with its place, and one of no known kind can be named; nothing is stored', async () => {
    const projectId = await newProject();
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await openImport(visitor, projectId);
    const [file] = Object.values(archive([sample], 8)) as Uint8Array[];
    await choose(page, { 'cut.eval': file!.subarray(0, file!.length - 40) });
    await page.getByRole('alert').getByText('cut.eval').waitFor();
    await page.getByRole('alert').getByText('Nothing was imported.').waitFor();
    await page.getByRole('button', { name: 'Other files' }).click();
    await choose(page, { 'notes<i>.json': { a: 1 } });
    await page.getByText('It was not recognized what this is.').waitFor();
    await page.getByText('notes<i>.json').waitFor();
    await page.getByLabel('Read it as').selectOption('json');
    await page.getByRole('button', { name: 'Read it' }).click();
    await page.getByRole('alert').getByText('notes<i>.json: has no list of entries').waitFor();
    expect((await call('GET', `/projects/${projectId}/testsets`)).data).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('a testset leads to it where its own import is given the file of another tool', async () => {
    const projectId = await newProject();
    const testset = await call('POST', `/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: {} },
      fieldMapping: { inputs: [], expected: [], metadata: [] },
    });
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/testsets/${testset.id}?tab=import`);
    const [file] = buffersOf(output([row]));
    await page.getByLabel('File', { exact: true }).setInputFiles(file!);
    await page.getByText('promptfoo results or config').waitFor();
    await page.getByLabel('Import into').waitFor();
    await page.getByRole('button', { name: 'Another file' }).click();
    const [log] = buffersOf(archive([sample], 8));
    await page.getByLabel('File', { exact: true }).setInputFiles(log!);
    await page.getByRole('alert').getByText('log.eval: is a zip archive').waitFor();
    await page.getByText('Inspect log').waitFor();
    await page.getByRole('link', { name: 'Import all of it' }).click();
    await page.getByText(/^1 testset, 1 testcase/).waitFor();
  });

  test('an exported project is a new one, also where the session ends before it is sent', async () => {
    const projectId = await newProject();
    await call('PUT', `/projects/${projectId}/monitors`, {
      description: 'Every answer',
      metrics: ['The answer is polite.'],
    });
    const { text } = await stage.assay.call('GET', `/projects/${projectId}/export`);
    await using visitor = await stage.visit();
    const { page, context } = visitor;
    await visitor.open('/import');
    await choose(page, { 'project.ndjson': text });
    await page.getByText('A project of Assay.').waitFor();
    await page.getByLabel('Name', { exact: true }).fill('Moved here');
    await context.clearCookies();
    await start(page);
    const again = page.getByRole('dialog', { name: 'Sign in again' });
    await again.getByLabel('API key').fill(stage.assay.key);
    await again.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('1 monitor came with it, paused').waitFor();
    await page.getByRole('link', { name: 'Show the project' }).click();
    await page.getByRole('heading', { name: 'Moved here', level: 1 }).waitFor();
  });

  test('that an outage or a person ends is asked about first, goes on when it is repeated, and stores nothing twice', async () => {
    const count = 4000;
    const csv = [
      'question,answer',
      ...Array.from({ length: count }, (_, index) => `${index}?,${index}`),
    ];
    const projectId = await newProject();
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    await openImport(visitor, projectId);
    await choose(page, { 'questions.csv': csv.join('\n') });
    await page.getByText('1 testset, 4,000 testcases').waitFor();
    let answers = 0;
    page.on('response', (response) => {
      if (!response.url().includes('/testcases/import') || answers > 0) return;
      answers += 1;
      proxy.disturb({ kind: 'refuse' });
      proxy.end('reset');
    });
    await start(page);
    await page.getByText('The server is away.').waitFor();
    await page.getByRole('link', { name: 'Testsets' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave the import?' });
    await dialog.getByRole('button', { name: 'Stay' }).click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('What is stored stays.').waitFor();
    proxy.heal();
    await page.getByRole('button', { name: 'Import again' }).click();
    await page.getByText('testcases stored.').waitFor();
    const [{ id }] = (await call('GET', `/projects/${projectId}/testsets`)).data;
    const { text } = await stage.assay.call('GET', `/testsets/${id}/testcases/export`);
    const questions = text.split('\n').filter((line) => line !== '');
    expect(questions).toHaveLength(count);
    expect(new Set(questions).size).toBe(count);
  });

  test('columns of answers become runs of the testset, scored by the metrics that are ticked', async () => {
    const projectId = await newProject();
    const metric = await call('POST', `/projects/${projectId}/metrics`, {
      name: 'Right capital',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: { output: '/output', expected: '/expected' } },
    });
    await using visitor = await stage.visit();
    const { page, complaints } = visitor;
    await openImport(visitor, projectId);
    await choose(page, {
      'capitals.csv':
        'question,expected,answer,v2\nFrance?,Paris,Paris,Paris\nPeru?,Lima,Cusco,Lima\nChad?,Ndjamena,,Ndjamena\n',
    });
    await page.getByText('1 testset, 3 testcases, 1 run', { exact: true }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.getByLabel('Role of the column v2').selectOption('output');
    await page.getByText('2 runs with these answers: v2, answer.').waitFor();
    await page.getByRole('checkbox', { name: /^Right capital/ }).waitFor();
    await start(page);
    await page.getByText('3 testcases, 5 records, 0 scores stored.').waitFor();
    const { data } = await call('GET', `/projects/${projectId}/runs`);
    expect(
      data.map((run: Record<string, unknown>) => [run.name, run.numRecords, run.metricIds]),
    ).toEqual(
      expect.arrayContaining([
        ['answer', 2, [metric.id]],
        ['v2', 3, [metric.id]],
      ]),
    );
    const { id } = data.find(({ name }: { name: string }) => name === 'answer');
    const records = await call('GET', `/runs/${id}/records`);
    expect(records.data).toMatchObject([
      {
        inputs: { question: 'France?' },
        expected: { expected: 'Paris' },
        outputs: { output: 'Paris' },
      },
      { inputs: { question: 'Peru?' }, outputs: { output: 'Cusco' } },
    ]);
    expect(
      records.data.every(({ testcaseId }: { testcaseId?: string }) => testcaseId !== undefined),
    ).toBe(true);
    await page.getByRole('link', { name: 'Show the run' }).click();
    await page.getByRole('columnheader', { name: 'Right capital' }).waitFor();
    for (const run of data)
      await expect
        .poll(async () => (await call('GET', `/runs/${run.id}`)).status)
        .toBe('completed');
    expect(complaints).toEqual([]);
  });

  test('answers whose import an outage ends are counted, and the next try stores none of them twice', async () => {
    const count = 2500;
    const csv = [
      'question,expected,answer',
      ...Array.from({ length: count }, (_, index) => `${index}?,${index},${index}`),
    ];
    const projectId = await newProject();
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    await openImport(visitor, projectId);
    await choose(page, { 'questions.csv': csv.join('\n') });
    await page.getByText('1 testset, 2,500 testcases, 1 run').waitFor();
    let answers = 0;
    page.on('response', (response) => {
      if (!response.url().includes('/records/bulk')) return;
      answers += 1;
      if (answers !== 2) return;
      proxy.disturb({ kind: 'refuse' });
      proxy.end('reset');
    });
    await start(page);
    await page.getByText('The server is away.').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/[\d,]+ records are stored\. What is stored stays\./).waitFor();
    proxy.heal();
    await page.getByRole('button', { name: 'Import again' }).click();
    await page.getByText('Show the run').waitFor();
    const { data } = await call('GET', `/projects/${projectId}/runs`);
    expect(data).toMatchObject([{ name: 'answer', numRecords: count }]);
  });
});
