import { beforeAll, expect, test } from 'vitest';
import { uploadRecords } from '../system/records.ts';
import { describeInBrowser, openRun } from './browser.ts';

const count = 260;

describeInBrowser('the records of a run', (stage) => {
  let path: string;
  beforeAll(async () => {
    const make = async (path: string, body: unknown) => {
      const reply = await stage.assay.call('POST', path, body);
      expect(reply.status, reply.text).toBe(201);
      return reply.body;
    };
    const project = await make('/projects', { name: 'Numbers', description: '' });
    const metric = await make(`/projects/${project.id}/metrics`, {
      name: 'Grade',
      evalType: 'heuristic',
      outputType: 'int',
    });
    const run = await make(`/projects/${project.id}/runs`, { metricIds: [metric.id] });
    const records = Array.from({ length: count }, (_, index) => ({
      inputs: { question: `Question ${index}` },
      expected: {},
      outputs: { answer: index === 177 ? 'a needle "in" hay' : 'hay' },
      ...(index < 3 ? { tags: ['first'] } : {}),
    }));
    const ids = await uploadRecords(stage.assay.call, run.id, records);
    for (const [index, id] of ids.entries())
      if (index < 20)
        await stage.assay.call('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
          score: { value: 1 + (index % 5), reasoning: `because of ${index}` },
        });
    path = `/projects/${project.id}/runs/${run.id}`;
  });

  test('are filtered by an outcome, opened, walked by keys, and there again after going back', async () => {
    await using visit = await stage.visit();
    await openRun(visit, path);
    await visit.page.getByRole('button', { name: 'Add filter' }).click();
    await visit.page.getByLabel('Filter by').selectOption({ label: 'Grade' });
    await visit.page.getByLabel('Value').selectOption('fail');
    await visit.page.getByRole('button', { name: 'Add', exact: true }).click();
    // It would lie over the rows that were asked for.
    await visit.page.getByLabel('Filter by').waitFor({ state: 'hidden' });
    await expect
      .poll(() => visit.page.evaluate('document.activeElement.textContent'))
      .toBe('Add filter');
    await visit.page.getByText('1–12 of 12').waitFor();
    const rows = visit.page.getByRole('link', { name: /^Question/ });
    await rows.nth(3).click();
    await visit.page.waitForURL('**/records/*');
    await visit.page.getByText('4 of 12').waitFor();
    await visit.page.getByText('because of 5').waitFor();
    await visit.page.keyboard.press(']');
    await visit.page.getByText('5 of 12').waitFor();
    await visit.page.getByText('because of 6').waitFor();
    await visit.page.keyboard.press('[');
    await visit.page.getByText('4 of 12').waitFor();
    await visit.page.goBack();
    await visit.page.getByText('1–12 of 12').waitFor();
    const pills = visit.page.getByRole('list', { name: 'Filters in force' });
    await expect
      .poll(() => pills.getByRole('listitem').allTextContents())
      .toEqual(['Grade: fail✕']);
    expect(visit.complaints).toEqual([]);
  });

  test('are ordered by a metric from the head of its column', async () => {
    await using visit = await stage.visit();
    await visit.open(path);
    await visit.page.getByRole('button', { name: 'Grade: order and filter' }).click();
    await visit.page.getByRole('link', { name: 'Highest first' }).click();
    const grades = visit.page.locator('[role=row] [role=gridcell]:nth-child(3)');
    await expect
      .poll(async () => (await grades.allTextContents()).slice(0, 6).map((text) => text[1]))
      .toEqual(['5', '5', '5', '5', '4', '4']);
  });

  test('are searched by the text that people read', async () => {
    await using visit = await stage.visit();
    await visit.open(path);
    await visit.page.getByRole('link', { name: 'Question 0', exact: true }).waitFor();
    await visit.page.keyboard.press('/');
    await visit.page.keyboard.type('NEEDLE "in"');
    await visit.page.keyboard.press('Enter');
    await visit.page.getByText(`Searched ${count} of ${count} records`).waitFor();
    const rows = visit.page.getByRole('link', { name: /^Question/ });
    await expect.poll(() => rows.allTextContents()).toEqual(['Question 177']);
    await visit.page.getByRole('button', { name: /^Take away/ }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(5);
  });

  test('are searched until somebody stops it, and from there when they go on', async () => {
    await using visit = await stage.visit();
    let isHeld = true;
    await visit.page.route('**/records/search*', async (route) => {
      if (isHeld) await new Promise(() => undefined);
      else await route.continue();
    });
    await visit.open(`${path}?text=needle`);
    await visit.page.getByRole('button', { name: 'Stop searching' }).click();
    await visit.page.getByRole('heading', { name: 'Nothing was found so far' }).waitFor();
    isHeld = false;
    await visit.page.getByRole('button', { name: 'Continue searching' }).click();
    await visit.page.getByText(`Searched ${count} of ${count} records`).waitFor();
    await visit.page.getByRole('link', { name: 'Question 177' }).waitFor();
    expect(await visit.page.getByRole('button', { name: /searching$/ }).count()).toBe(0);
  });

  test('are tagged together', async () => {
    await using visit = await stage.visit();
    await visit.open(path);
    for (const index of [4, 5, 6])
      await visit.page.getByLabel(`Select Question ${index}`, { exact: true }).click();
    await visit.page.getByRole('button', { name: 'Actions' }).click();
    await visit.page.getByRole('button', { name: 'Tag', exact: true }).click();
    const dialog = visit.page.getByRole('dialog', { name: 'Tag 3 records' });
    await dialog.getByRole('textbox', { name: 'Tag' }).fill('discuss');
    await dialog.getByRole('button', { name: 'Tag', exact: true }).click();
    await dialog.getByText('✓ 3 records tagged “discuss”').waitFor();
    await visit.open(`${path}?tags=discuss`);
    await visit.page.getByText('1–3 of 3').waitFor();
  });

  test('beyond the first page come as one scrolls', async () => {
    await using visit = await stage.visit();
    await visit.open(path);
    await visit.page.getByRole('link', { name: 'Question 0', exact: true }).waitFor();
    const grid = visit.page.getByRole('grid');
    await expect
      .poll(async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return visit.page.getByRole('link', { name: `Question ${count - 1}`, exact: true }).count();
      })
      .toBe(1);
    await visit.page.getByText(`of ${count}`).waitFor();
    await expect.poll(() => visit.page.getByRole('row').count()).toBeLessThan(60);
  });
});
