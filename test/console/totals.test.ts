import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, openRun } from './browser.ts';

/** More records than a page of the list has. */
const records = 250;

describeInBrowser('a long list', (stage) => {
  let path: string;
  const make = async (target: string, body: unknown) => {
    const reply = await stage.assay.call('POST', target, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  beforeAll(async () => {
    const { id: projectId } = await make('/projects', { name: 'Long', description: '' });
    const metric = await make(`/projects/${projectId}/metrics`, {
      name: 'Given',
      evalType: 'heuristic',
      outputType: 'boolean',
    });
    const run = await make(`/projects/${projectId}/runs`, { name: 'Long', metricIds: [metric.id] });
    path = `/projects/${projectId}/runs/${run.id}`;
    const lines = Array.from({ length: records }, (_, index) => ({
      inputs: { question: `Question ${index}` },
      expected: {},
      outputs: {},
      scores: [{ metricId: metric.id, score: { value: index % 2 === 0 } }],
    }));
    const { status } = await stage.assay.call('POST', `/runs/${run.id}/records/bulk`, undefined, {
      raw: lines.map((line) => JSON.stringify(line)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(status).toBe(200);
  });

  test('says how many rows it has before they are read, filtered by a metric too', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await page.getByText(/^1–\d+ of 250$/).waitFor();
    const grid = page.getByRole('grid', { name: 'Records' });
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('251');
    const field = page.getByRole('combobox', { name: 'Filter records' });
    await field.fill('Given:fail');
    await field.press('Enter');
    await page.getByText(/^1–\d+ of 125$/).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('is at its last row by End, and at its first by Home; the pager of a record counts all', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await page.getByText(/^1–\d+ of 250$/).waitFor();
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('End');
    await expect.poll(() => page.locator('[data-row="249"]:focus').count()).toBe(1);
    await page.locator('[data-row="249"]').getByText('Question 249').waitFor();
    await page.getByText(/^\d+–250 of 250$/).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('250 of 250', { exact: true }).waitFor();
    await page.goBack();
    await page.locator('[data-row]').first().waitFor();
    await page.locator('[data-row]').first().focus();
    await page.keyboard.press('Home');
    await expect.poll(() => page.locator('[data-row="0"]:focus').count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.getByText('1 of 250', { exact: true }).waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('of testcases says how many the testset has, at its first row and at its last', async () => {
    const { id: projectId } = await make('/projects', { name: 'Many', description: '' });
    const testset = await make(`/projects/${projectId}/testsets`, {
      name: 'Many',
      description: '',
      jsonSchema: { properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const lines = Array.from({ length: 250 }, (_, index) => `{"question":"Question ${index}"}`);
    await stage.assay.call('POST', `/testsets/${testset.id}/testcases/import`, undefined, {
      raw: lines.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${projectId}/testsets/${testset.id}`);
    await page.getByText(/^1–\d+ of 250$/).waitFor();
    const grid = page.getByRole('grid', { name: 'Testcases' });
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('251');
    await page.locator('[data-row="0"]').focus();
    await page.keyboard.press('PageDown');
    await page.getByText(/^\d+–\d+ of 250$/).waitFor();
    await page.keyboard.press('End');
    await page.getByText(/^\d+–250 of 250$/).waitFor();
    await page.keyboard.press('Home');
    await page.getByText(/^1–\d+ of 250$/).waitFor();
    const field = page.getByRole('combobox', { name: 'Filter testcases' });
    await field.fill('"Question 24"');
    await field.press('Enter');
    await page.getByText('1–11 of 11').waitFor();
    expect(visit.complaints).toEqual([]);
  });
});
