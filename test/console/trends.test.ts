import { poll } from '@assay/testing/poll';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import type { Call } from '../system/installation.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { countedClicks } from './counted-clicks.ts';

interface ScoredProject {
  projectId: string;
  metricId: string;
  runIds: string[];
}

/** Three runs of a metric, whose second version scored the last of them. */
async function scoredProject(call: Call): Promise<ScoredProject> {
  const create = async (path: string, body: object) => (await call('POST', path, body)).body;
  const { id: projectId } = await create('/projects', { name: 'Over time', description: '' });
  const { id: metricId } = await create(`/projects/${projectId}/metrics`, {
    name: 'Right',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: { output: '/answer', expected: '/answer' } },
  });
  const runIds: string[] = [];
  for (const [index, passing] of [1, 3, 4].entries()) {
    if (index === 2)
      await call('PATCH', `/metrics/${metricId}`, {
        evalType: 'heuristic',
        outputType: 'boolean',
        builtin: {
          name: 'exact_match',
          options: { output: '/answer', expected: '/answer', ignoreCase: true },
        },
      });
    const run = await create(`/projects/${projectId}/runs`, {
      name: `Run ${index + 1}`,
      metricIds: [metricId],
      labels: { branch: index === 0 ? 'old' : 'main' },
    });
    for (let place = 0; place < 4; place++)
      await create(`/runs/${run.id}/records`, {
        inputs: {},
        expected: { answer: 'yes' },
        outputs: { answer: place < passing ? 'yes' : 'no' },
        metrics: { latencyMs: 100 * (index + 1) },
      });
    runIds.push(run.id);
  }
  await poll('each run is a point', async () => {
    const { body } = await call('GET', `/projects/${projectId}/trends`);
    return body.points.length === 3;
  });
  return { projectId, metricId, runIds };
}

const chartOf = (page: Page, name: string) =>
  page.getByRole('slider', { name: `${name} over time` });

describeInBrowser('what runs scored over time', (stage) => {
  let made: ScoredProject;
  beforeAll(async () => {
    made = await scoredProject(stage.assay.call);
  });

  test('is the overview of a project: a point of a chart is read and opened by keys', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${made.projectId}`);
    const chart = chartOf(page, 'Right');
    await chart.focus();
    const said = () => chart.getAttribute('aria-valuetext');
    await expect.poll(said).toMatch(/^Run 3\n100.*The metric changed here\.$/s);
    await page.keyboard.press('ArrowLeft');
    await expect.poll(said).toMatch(/^Run 2\n75/);
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/projects/${made.projectId}/runs/${made.runIds[1]}`);
    expect(visitor.complaints).toEqual([]);
  });

  test('is drawn for latency, with its median and its 95th percentile', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${made.projectId}`);
    await expect
      .poll(() => chartOf(page, 'Latency in ms').getAttribute('aria-valuetext'))
      .toMatch(/^Run 3\n300 ms.*p50 300 ms, p95 300 ms$/s);
  });

  test('is narrowed by a label, and by a span of time that is dragged, which the address keeps', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${made.projectId}`);
    const chart = chartOf(page, 'Right');
    await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe('3');
    await page.getByRole('textbox', { name: 'Label' }).fill('branch:main');
    await page.keyboard.press('Enter');
    await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe('2');
    expect(new URL(page.url()).searchParams.get('label')).toBe('branch:main');
    const box = (await chart.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 80);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 2, box.y + 80);
    await page.mouse.up();
    await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe('1');
    await page.getByRole('button', { name: 'Show all time' }).click();
    await expect.poll(() => chart.getAttribute('aria-valuemax')).toBe('2');
    expect(visitor.complaints).toEqual([]);
  });

  test('is a tab of each metric, one click from the overview', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const clicks = countedClicks();
    await visitor.open(`/projects/${made.projectId}`);
    await clicks.click(page.getByRole('link', { name: 'Right', exact: true }).first());
    expect(clicks.count).toBeLessThanOrEqual(2);
    await page.waitForURL(`**/metrics/${made.metricId}?tab=trend`);
    const chart = chartOf(page, 'Right');
    await chart.waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await chart.click({ position: { x: 60, y: 80 } });
    await page.waitForURL(`**/runs/${made.runIds[0]}`);
    expect(visitor.complaints).toEqual([]);
  });

  test("last week's best run is the first of the list after three clicks", async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const clicks = countedClicks();
    await visitor.open(`/projects/${made.projectId}`);
    await clicks.click(page.getByRole('link', { name: 'Runs', exact: true }));
    await clicks.click(page.getByRole('button', { name: 'Right', exact: true }));
    const filter = page.getByRole('combobox', { name: 'Filter runs' });
    await clicks.fill(filter, 'made:7d');
    await filter.press('Enter');
    await expect
      .poll(() => page.locator('[data-row] a').allTextContents())
      .toEqual(['Run 3', 'Run 2', 'Run 1']);
    expect(clicks.count).toBeLessThanOrEqual(3);
    await page.getByText('Order: highest Right first', { exact: true }).waitFor();
    await filter.fill('Right<=80%');
    await filter.press('Enter');
    await expect
      .poll(() => page.locator('[data-row] a').allTextContents())
      .toEqual(['Run 2', 'Run 1']);
    await page.getByText('Right at most: 80 %', { exact: true }).waitFor();
    await page.getByRole('row', { name: /Run 2.*200 ms · 200 ms/ }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    expect(visitor.complaints).toEqual([]);
  });
});
