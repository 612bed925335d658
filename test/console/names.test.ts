import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';

/** Makes many things, some at once. */
async function many(count: number, make: (place: number) => Promise<unknown>): Promise<void> {
  const places = Array.from({ length: count }, (_, place) => place);
  for (let first = 0; first < count; first += 10)
    await Promise.all(places.slice(first, first + 10).map(make));
}

interface LargeProject {
  projectId: string;
  /** The run that is wanted, the 120th by age, and the newest. */
  wanted: string;
  newest: string;
  /** The newest testset of more than a hundred. */
  testsetId: string;
}

describeInBrowser('a thing beyond the newest hundred of its kind', (stage) => {
  let project: LargeProject;
  beforeAll(async () => {
    const create = async (path: string, body: object) =>
      (await stage.assay.call('POST', path, body)).body;
    const { id: projectId } = await create('/projects', { name: 'Large', description: '' });
    const path = `/projects/${projectId}`;
    const testset = (name: string) =>
      create(`${path}/testsets`, {
        name,
        description: '',
        jsonSchema: { properties: { question: {} } },
        fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
      });
    await testset('Testset 0');
    await many(100, (place) => testset(`Testset ${place + 1}`));
    const rare = await testset('Rarely asked');
    const testsetId = (await testset('Riddles')).id;
    const metric = (name: string, evalType: string) =>
      create(`${path}/metrics`, { name, evalType, outputType: 'boolean' });
    const kind = await metric('Kind', 'human');
    await many(101, (place) => metric(`Metric ${place}`, 'heuristic'));
    const waiting = await create(`${path}/runs`, {
      name: 'Waits for a person',
      metricIds: [kind.id],
    });
    await create(`${path}/runs`, { name: 'Rare run', metricIds: [], testsetId: rare.id });
    const record = { inputs: {}, expected: {}, outputs: {} };
    const stored = await stage.assay.call('POST', `/runs/${waiting.id}/records/bulk`, undefined, {
      raw: JSON.stringify(record),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    expect(stored.status).toBe(200);
    await many(100, (place) => create(`${path}/systems`, { name: `System ${place}`, config: {} }));
    const system = await create(`${path}/systems`, { name: 'Sphinx', config: { model: 's' } });
    const run = (name: string) =>
      create(`${path}/runs`, {
        name,
        metricIds: [],
        testsetId,
        systemVersionId: system.productionVersion.id,
      });
    await many(10, (place) => run(`Old straw ${place}`));
    const wanted = await run('Needle (of the haystack)');
    await many(118, (place) => run(`Straw ${place}`));
    const newest = await run('Newest straw');
    project = {
      projectId,
      wanted: wanted.id,
      newest: newest.id,
      testsetId,
    };
  });

  async function openPalette(page: Page): Promise<void> {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'A page, a name or an id' }).waitFor();
  }
  const option = (page: Page, name: RegExp) => page.getByRole('option', { name });
  const chosen = (page: Page) => page.locator('[role=option][aria-selected=true]');

  test('is found by words of its name in the palette, and opened by the keyboard alone', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { projectId, wanted, testsetId } = project;
    await visitor.open(`/projects/${projectId}/runs`);
    await openPalette(page);
    await page.keyboard.type('haystack NEEDLE');
    await expect.poll(() => chosen(page).textContent()).toBe('Run Needle (of the haystack)');
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/runs/${wanted}`);
    await openPalette(page);
    await page.keyboard.type('sphinx version');
    await option(page, /Version Sphinx Version 1/).waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('(.*)');
    await page.getByText('Nothing has this name.').waitFor();
    await page.keyboard.press('Control+a');
    await page.keyboard.type('riddles');
    await option(page, /Testset Riddles/).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/testsets/${testsetId}`);
    expect(visitor.complaints).toEqual([]);
  });

  test('is said to be found in its project, where none is open', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open('/projects');
    await openPalette(page);
    await page.keyboard.type('needle');
    await page.getByText('Open a project to find its runs, testsets and metrics').waitFor();
    await expect.poll(() => page.getByText('Nothing has this name.').count()).toBe(0);
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Projects');
    expect(visitor.complaints).toEqual([]);
  });

  test('stands under its name, not under its id, in lists, filters and on pages', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { projectId, wanted, testsetId } = project;
    await visitor.open(`/projects/${projectId}/runs?testsetId=${testsetId}`);
    await page.getByText('Testset: Riddles').first().waitFor();
    await visitor.open(`/projects/${projectId}/runs/${wanted}`);
    await page.getByRole('link', { name: 'Riddles', exact: true }).waitFor();
    await page.getByRole('link', { name: 'Sphinx Version 1' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('is chosen to be compared with, by the keyboard alone', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { projectId, wanted, newest } = project;
    await visitor.open(`/projects/${projectId}/compare?candidate=${newest}`);
    const field = page.getByRole('combobox', { name: 'Baseline' });
    await field.focus();
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => option(page, /straw/i).count()).toBe(20);
    await page.getByText('There are more: type another word of the name.').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await expect.poll(() => option(page, /straw/i).count()).toBe(0);
    await page.keyboard.type('needle');
    await expect.poll(() => chosen(page).textContent()).toMatch(/^Needle \(of the haystack\)/);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('baseline') === wanted);
    await expect.poll(() => field.inputValue()).toBe('Needle (of the haystack)');
    // The candidate is of the baseline's testset, and another run than the baseline.
    await page.getByRole('combobox', { name: 'Candidate' }).click();
    await page.keyboard.type('needle');
    await page.getByText('Nothing has this name.').waitFor();
    await page.keyboard.press('Escape');
    await expect
      .poll(() => page.getByRole('combobox', { name: 'Candidate' }).inputValue())
      .toBe('Newest straw');
    expect(visitor.complaints).toEqual([]);
  });

  test('is chosen as the testset of a new run, and the choice keeps the focus', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${project.projectId}/runs/new`);
    const field = page.getByRole('combobox', { name: 'Testset' });
    await expect.poll(() => field.inputValue()).toBe('Testset 0');
    await field.click();
    await page.keyboard.type('riddles');
    await expect.poll(() => chosen(page).textContent()).toMatch(/^Riddles/);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('testsetId') === project.testsetId);
    await expect.poll(() => field.inputValue()).toBe('Riddles');
    await expect.poll(() => field.and(page.locator(':focus')).count()).toBe(1);
    expect(visitor.complaints).toEqual([]);
  });

  test('is not taken in place of another one by an Enter before the search has ended', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { projectId, newest, wanted } = project;
    await visitor.open(`/projects/${projectId}/compare?candidate=${newest}`);
    const field = page.getByRole('combobox', { name: 'Baseline' });
    await field.click();
    await expect.poll(() => option(page, /straw/i).count()).toBe(20);
    // Faster than a search begins.
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText('needle');
    await page.keyboard.press('Enter');
    await expect.poll(() => chosen(page).textContent()).toMatch(/^Needle/);
    expect(new URL(page.url()).searchParams.get('baseline')).toBe(null);
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.searchParams.get('baseline') === wanted);
    await field.click();
    await expect.poll(() => option(page, /straw/i).count()).toBe(20);
    // What is chosen is marked where it is among the newest.
    await page.getByRole('combobox', { name: 'Candidate' }).click();
    await expect.poll(() => chosen(page).textContent()).toMatch(/^Newest straw/);
    expect(visitor.complaints).toEqual([]);
  });

  test('is proposed by the filters of runs while its name is written, and filters by it', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${project.projectId}/runs`);
    const field = page.getByRole('combobox', { name: 'Filter runs' });
    await field.fill('testset:rarely');
    await page.getByRole('option', { name: /^testset:"Rarely asked"/ }).waitFor();
    await field.fill('testset:"Rarely asked"');
    await field.press('Enter');
    await page.getByText('Testset: Rarely asked', { exact: true }).waitFor();
    await page.getByText('1–1 of 1').waitFor();
    await page.waitForURL('**/runs?testsetId=*');
    expect(visit.complaints).toEqual([]);
  });

  test('is found among the metrics that can be chosen, of which all others go', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${project.projectId}/runs/new`);
    const metrics = page.getByRole('group', { name: 'Scored by' });
    await metrics.getByRole('searchbox').fill('kind');
    await metrics.getByText('1 found', { exact: true }).waitFor();
    await expect.poll(() => metrics.getByRole('checkbox').count()).toBe(1);
    await expect
      .poll(() => metrics.getByRole('checkbox', { name: /^Kind/ }).isChecked())
      .toBe(true);
    expect(await problemsOf(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  test('waits in the review, and stands in the overview as the latest run of its testset', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`/projects/${project.projectId}/review`);
    await page.getByRole('heading', { name: 'Waits for a person' }).waitFor();
    await visit.open(`/projects/${project.projectId}`);
    const latest = page.getByRole('region', { name: 'Latest runs' });
    await latest.getByRole('link', { name: 'Rare run' }).waitFor();
    await page.getByText('Runs are counted among the newest 100.').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('is not needed to do what the present page can do: the palette has its actions', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${project.projectId}/runs/${project.wanted}`);
    await page.getByRole('button', { name: 'More' }).waitFor();
    await openPalette(page);
    await page.keyboard.type('compare');
    await expect.poll(() => chosen(page).textContent()).toBe('Here Compare with another run …');
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/compare?candidate=${project.wanted}`);
    await page.goBack();
    await page.getByRole('button', { name: 'More' }).waitFor();
    await openPalette(page);
    await page.keyboard.type('budget');
    await expect.poll(() => chosen(page).textContent()).toBe('Here Budget …');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Budget' }).waitFor();
    await expect.poll(() => page.getByRole('dialog').count()).toBe(1);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await visitor.open(`/projects/${project.projectId}/runs`);
    await openPalette(page);
    await page.keyboard.type('budget');
    await page.getByText('Nothing has this name.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });
});
