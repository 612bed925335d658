import { startTcpProxy } from '@assay/testing/tcp-proxy';
import type { Page, Response } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser, type Visitor } from './browser.ts';

/** The console sends 1,000 in a request: an outage comes between two. */
const rows = 4000;
const csv = [
  'question,idealAnswer',
  ...Array.from({ length: rows }, (_, index) => `Question ${index}?,Answer ${index}`),
].join('\n');

describeInBrowser('an import during an outage', (stage) => {
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;

  /** A testset with its file checked: only the import is left to do. */
  async function checkFile({
    open,
    page,
  }: Visitor): Promise<{ questions: () => Promise<string[]> }> {
    const project = await call('POST', '/projects', { name: 'Outage', description: '' });
    const field = { type: 'string' };
    const { id } = await call('POST', `/projects/${project.id}/testsets`, {
      name: 'Outage',
      description: '',
      jsonSchema: { type: 'object', properties: { question: field, idealAnswer: field } },
      fieldMapping: { inputs: ['question'], expected: ['idealAnswer'], metadata: [] },
    });
    await open(`/projects/${project.id}/testsets/${id}?tab=import`);
    const file = { name: 'questions.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await page.getByLabel('File').setInputFiles(file);
    await page.getByRole('button', { name: 'Check' }).click();
    await page.getByText('4,000 valid').waitFor();
    return {
      questions: async () =>
        (await stage.assay.call('GET', `/testsets/${id}/testcases/export`)).text
          .split('\n')
          .filter((line) => line !== '')
          .map((line) => JSON.parse(line).question),
    };
  }

  /** Calls back with the first answers to so many requests of the import, while they come. */
  function onAnswer(page: Page, act: () => void, { times = 1 } = {}): void {
    let answers = 0;
    page.on('response', (response: Response) => {
      if (!response.url().endsWith('/testcases/import')) return;
      answers += 1;
      if (answers <= times) act();
    });
  }

  const importAll = (page: Page) =>
    page.getByRole('button', { name: 'Import 4,000 testcases' }).click();
  const isImported = (page: Page) => page.getByText('4,000 testcases imported').waitFor();
  const isAway = (page: Page) => page.getByText('The server is away.').waitFor();

  test('of some seconds goes on by itself, and stores every row once', async () => {
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    const { questions } = await checkFile(visitor);
    // In the middle of an answer, twice: it is not known what was stored.
    onAnswer(page, () => proxy.end('reset'), { times: 2 });
    await importAll(page);
    await isAway(page);
    await isImported(page);
    expect(new Set(await questions()).size).toBe(rows);
    expect(await questions()).toHaveLength(rows);
  });

  test('that is longer needs one press, and every row is there once', async () => {
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    const { questions } = await checkFile(visitor);
    await page.clock.install();
    onAnswer(page, () => {
      proxy.disturb({ kind: 'refuse' });
      proxy.end('reset');
    });
    await importAll(page);
    const goOn = page.getByRole('button', { name: 'Continue the import' });
    await expect
      .poll(async () => {
        await page.clock.fastForward(20_000);
        return goOn.isVisible();
      })
      .toBe(true);
    await page.getByText('The server could not be reached.').waitFor();
    expect((await questions()).length).toBeLessThan(rows);
    proxy.heal();
    await goOn.click();
    await isImported(page);
    expect(new Set(await questions()).size).toBe(rows);
    expect(await questions()).toHaveLength(rows);
  });

  test('is stopped at once by a press', async () => {
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    const { questions } = await checkFile(visitor);
    await page.clock.install();
    await page.clock.pauseAt(new Date(Date.now() + 3_600_000));
    onAnswer(page, () => {
      proxy.disturb({ kind: 'refuse' });
      proxy.end('reset');
    });
    await importAll(page);
    await isAway(page);
    await page.getByRole('button', { name: 'Stop' }).click();
    const goOn = page.getByRole('button', { name: 'Continue the import' });
    await goOn.waitFor();
    expect((await questions()).length).toBeLessThan(rows);
  });
});
