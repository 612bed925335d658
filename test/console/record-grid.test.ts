import { poll } from '@assay/testing/poll';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { uploadRecords } from '../system/records.ts';
import { describeInBrowser, openRun, textsOf } from './browser.ts';

const count = 260;

describeInBrowser('the grid of records', (stage) => {
  let projectPath: string;
  let path: string;
  let runId: string;

  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  beforeAll(async () => {
    const project = await make('/projects', { name: 'Grid', description: '' });
    const human = await make(`/projects/${project.id}/metrics`, {
      name: 'Helpful',
      evalType: 'human',
      outputType: 'boolean',
    });
    const exact = await make(`/projects/${project.id}/metrics`, {
      name: 'Exact',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: {
        name: 'exact_match',
        options: { output: '/answer/text', expected: '/idealAnswer' },
      },
    });
    const run = await make(`/projects/${project.id}/runs`, { metricIds: [human.id, exact.id] });
    runId = run.id;
    const records = Array.from({ length: count }, (_, index) => ({
      inputs: { question: `Question ${index}` },
      expected: { idealAnswer: 'hay' },
      // The rule finds no answer in the second record, so it fails for good.
      outputs: { answer: index === 1 ? {} : { text: 'hay', words: index } },
      metrics: { latencyMs: 1000 + index },
      metadata: { prompt: `v${index}` },
    }));
    await uploadRecords(stage.assay.call, run.id, records);
    await poll('the rule has scored the run', async () => {
      const { scoring } = (await stage.assay.call('GET', `/runs/${run.id}`)).body;
      return scoring.pending === count;
    });
    projectPath = `/projects/${project.id}`;
    path = `${projectPath}/runs/${run.id}`;
  });

  const row = (page: Page, index: number): Locator =>
    page.getByRole('row', { name: new RegExp(`Question ${index}\\b`) });
  const panel = (page: Page): Locator => page.getByRole('region', { name: 'Peek' });

  test('on paper has the names of its columns, and none of its tools', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await openRun(visitor, path);
    const head = page.getByRole('columnheader', { name: /^Exact/ });
    await head.waitFor();
    await page.emulateMedia({ media: 'print' });
    await head.getByText('Exact').waitFor();
    expect(await page.getByLabel('Height of the rows').isVisible()).toBe(false);
  });

  test('stays where it is when the results above it come', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/summary*', async (route) => {
      await released;
      await route.continue();
    });
    await visit.open(path);
    await row(page, 0).waitFor();
    const top = async () => (await row(page, 0).boundingBox())!.y;
    const before = await top();
    release();
    await page.getByRole('region', { name: 'Results' }).waitFor();
    expect(Math.abs((await top()) - before)).toBeLessThan(8);
  });

  test('says of each score that is missing why: a person, a failure with its code', async () => {
    await using visit = await stage.visit();
    await openRun(visit, path);
    await row(visit.page, 0).getByText('waits for a person').waitFor();
    await row(visit.page, 0).getByText('pass').waitFor();
    const failed = row(visit.page, 1).getByText('not scored');
    await failed.waitFor();
    await expect.poll(() => failed.textContent()).toBe('!not scoredcode_error');
    await row(visit.page, 1).getByRole('link').click();
    const scores = visit.page.getByRole('region', { name: 'Scores' });
    await scores.getByText('waits for a person').waitFor();
    await scores.getByText('code_error').waitFor();
    await scores.getByText('/answer/text').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('gathers what failed by kind, with a count, examples, and the way to all of these records', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await visit.open(`${path}?tab=failures`);
    const kind = page.getByRole('region', { name: '1 failure of Exact' });
    await kind.getByText('code_error').waitFor();
    await kind.getByRole('link', { name: /^Record / }).waitFor();
    await kind.getByRole('link', { name: 'Records on which Exact failed' }).click();
    await page.waitForURL(/outcome=failed/);
    await row(page, 1).waitFor();
    expect(await row(page, 0).count()).toBe(0);
  });

  test('adds a column of a value inside, keeps it in the address, and removes it by its menu', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await row(page, 0).waitFor();
    await page.getByRole('button', { name: 'Add column' }).click();
    await page.getByRole('button', { name: 'outputs/answer/words' }).click();
    await page.getByRole('columnheader', { name: /outputs\/answer\/words/ }).waitFor();
    await row(page, 7).getByRole('gridcell', { name: '7', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.getAll('column')).toEqual(['/outputs/answer/words']);

    await page.reload();
    await row(page, 7).getByRole('gridcell', { name: '7', exact: true }).waitFor();
    await page.getByRole('combobox', { name: 'Filter records' }).fill('Question 25');
    await page.keyboard.press('Enter');
    await row(page, 251).getByRole('gridcell', { name: '251', exact: true }).waitFor();

    await page.getByRole('button', { name: 'outputs/answer/words: column' }).click();
    await page.getByRole('button', { name: 'Remove the column' }).click();
    await page.getByRole('columnheader', { name: /outputs\/answer\/words/ }).waitFor({
      state: 'detached',
    });
    expect(new URL(page.url()).searchParams.has('column')).toBe(false);
    expect(visit.complaints).toEqual([]);
  });

  test('has columns of what answers took and of metadata, and a record shows both', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    for (const name of ['metrics/latencyMs', 'metadata/prompt']) {
      await page.getByRole('button', { name: 'Add column' }).click();
      await page.getByRole('button', { name, exact: true }).click();
    }
    await row(page, 7).getByRole('gridcell', { name: '1,007 ms' }).waitFor();
    await row(page, 7).getByRole('gridcell', { name: 'v7', exact: true }).waitFor();
    await page.getByRole('link', { name: /Question 7\b/ }).click();
    const section = page.getByRole('region', { name: 'Metrics and metadata' });
    await section.getByText('1,007 ms').waitFor();
    await section.getByText('"prompt": "v7"').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('takes a JSON Pointer that no row shows, and refuses what is none', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await page.getByRole('button', { name: 'Add column' }).click();
    await page.getByLabel('Another JSON Pointer').fill('answer');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('Must be a place such as /outputs/answer.').waitFor();
    await page.getByLabel('Another JSON Pointer').fill('/expected/idealAnswer');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('columnheader', { name: /expected\/idealAnswer/ }).waitFor();
  });

  test('has rows of the height that a person chose, in every list of this browser', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    const height = async () => (await row(page, 2).boundingBox())?.height;
    await expect.poll(height).toBe(28);
    await page.getByLabel('Height of the rows').selectOption('High rows');
    await expect.poll(height).toBe(112);
    await page.getByLabel('Height of the rows').selectOption('Middle rows');
    await expect.poll(height).toBe(56);
    await visit.open(`${projectPath}/runs`);
    await expect.poll(() => page.getByLabel('Height of the rows').inputValue()).toBe('middle');
    // The rows follow each other without a gap.
    await openRun(visit, path);
    await row(page, 3).waitFor();
    const tops = await page
      .locator('[data-row="2"], [data-row="3"]')
      .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().top)));
    expect(tops[1]! - tops[0]!).toBe(56);
  });

  test('peeks at the row with the focus, which stays there while the panel follows', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await row(page, 0).waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focusedRow(page)).toBe('0');
    await page.keyboard.press('Space');
    await panel(page).getByText('Question 0').waitFor();
    await panel(page).getByText('waits for a person').waitFor();
    await panel(page).getByText('By a person').or(panel(page).getByText('exact_match')).waitFor();
    const shownRecord = () => new URL(page.url()).searchParams.get('record');
    await expect.poll(shownRecord).not.toBeNull();
    const first = shownRecord();
    await page.keyboard.press('j');
    await panel(page).getByText('Question 1').waitFor();
    await panel(page).getByText('code_error').waitFor();
    await page.keyboard.press('k');
    await panel(page).getByText('Question 0').waitFor();
    expect(await focusedRow(page)).toBe('0');
    expect(new URL(page.url()).pathname).toBe(path);
    // The URL follows a little later: what it names is what comes back.
    await expect.poll(shownRecord).toBe(first);

    await page.reload();
    await panel(page).getByText('Question 0').waitFor();
    await page.keyboard.press('Escape');
    await panel(page).waitFor({ state: 'detached' });
    await page.keyboard.press('j');
    await page.keyboard.press('Space');
    await panel(page).waitFor();
    await page.keyboard.press('Space');
    await panel(page).waitFor({ state: 'detached' });
    await expect.poll(shownRecord).toBeNull();
    expect(visit.complaints).toEqual([]);
  });

  test('selects by x, by Shift and arrows, and by Shift and a click, also rows out of memory', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await row(page, 0).waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText(/ 1 selected$/).waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText(/ 2 selected$/).waitFor();
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText(/ 3 selected$/).waitFor();
    await page.keyboard.press('Shift+ArrowUp');
    await page.getByText(/ 2 selected$/).waitFor();

    const grid = page.getByRole('grid');
    await expect
      .poll(async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight));
        return row(page, count - 1).count();
      })
      .toBe(1);
    await row(page, count - 1)
      .getByRole('gridcell')
      .last()
      .click({ modifiers: ['Shift'] });
    await page.getByText(new RegExp(` ${count} selected, \\d+ not in view$`)).waitFor();
    expect(new URL(page.url()).pathname).toBe(path);
  });

  test('opens the actions on the row with the focus by a key, and goes back to it', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    await openRun(visit, path);
    await row(page, 0).waitFor();
    await page.keyboard.press('j');
    await expect.poll(() => focusedRow(page)).toBe('0');
    await page.keyboard.press('j');
    await expect.poll(() => focusedRow(page)).toBe('1');
    await page.keyboard.press('.');
    await page.getByRole('button', { name: 'Tag', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Tag 1 record' });
    await dialog.getByRole('textbox', { name: 'Tag' }).fill('by keys');
    await page.keyboard.press('Enter');
    await dialog.getByText('✓ 1 record tagged “by keys”').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => focusedRow(page)).toBe('1');
    const tagged = (await stage.assay.call('GET', `/runs/${runId}/records?tags=by%20keys`)).body;
    expect(tagged.data.map(({ inputs }: { inputs: object }) => inputs)).toEqual([
      { question: 'Question 1' },
    ]);
    expect(visit.complaints).toEqual([]);
  });

  test('names in its help the keys that do something there, and each of them does it', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const helpOf = async () => {
      await page.keyboard.press('?');
      const help = page.getByRole('dialog', { name: 'Shortcuts of this page' });
      const names = await textsOf(help.getByRole('definition'));
      await page.keyboard.press('Escape');
      await help.waitFor({ state: 'hidden' });
      return names;
    };
    const walking = ['Next row', 'Previous row', 'Open the row'];
    const selecting = ['Select the row', 'Select to the next row', 'Select to the previous row'];
    await visit.open(`${projectPath}/metrics`);
    await page.getByRole('link', { name: 'Exact' }).waitFor();
    const ofMetrics = await helpOf();
    expect(ofMetrics).toEqual(expect.arrayContaining(walking));
    for (const name of [...selecting, 'Peek at the row', 'Actions', 'Filter'])
      expect(ofMetrics).not.toContain(name);

    await openRun(visit, path);
    await row(page, 0).waitFor();
    const ofRecords = await helpOf();
    const expected = [...walking, ...selecting, 'Peek at the row', 'Actions', 'Filter'];
    expect(ofRecords).toEqual(expect.arrayContaining(expected));
    expect(ofRecords).not.toContain('Compare what is selected');

    await make(`${projectPath}/runs`, { name: 'Another run', metricIds: [] });
    await visit.open(`${projectPath}/runs`);
    await page.getByRole('link', { name: 'Another run' }).waitFor();
    expect(await helpOf()).not.toContain('Compare what is selected');
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText(/ 2 selected$/).waitFor();
    expect(await helpOf()).toContain('Compare what is selected');
    await page.keyboard.press('c');
    await page.waitForURL(/compare\?baseline=/);
  });

  test('assigns, scores anew and deletes what is selected', async () => {
    await using visit = await stage.visit();
    const { page } = visit;
    const own = await make(`${projectPath}/runs`, {
      metricIds: (await stage.assay.call('GET', `/runs/${runId}`)).body.metricIds,
    });
    for (const index of [0, 1, 2])
      await make(`/runs/${own.id}/records`, {
        inputs: { question: `Question ${index}` },
        expected: { idealAnswer: 'hay' },
        outputs: { answer: { text: 'hay' } },
      });
    const accountOf = async () => (await stage.assay.call('GET', `/runs/${own.id}`)).body.scoring;
    await poll('they are scored', async () => (await accountOf()).scored === 3);
    await visit.open(`${projectPath}/runs/${own.id}`);
    for (const index of [0, 2])
      await page.getByLabel(`Select Question ${index}`, { exact: true }).click();
    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'Actions' }).click();
      const menu = page.locator('[popover]:popover-open');
      await menu.getByRole('button', { name: action, exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name: action, exact: true }).click();
      return dialog;
    };

    await (await choose('Assign')).getByText(/^✓ 2 records assigned to /).waitFor();
    await page.keyboard.press('Escape');
    const assigned = await stage.assay.call('GET', `/runs/${own.id}/records?assignee=me`);
    expect(assigned.body.data).toHaveLength(2);

    await (await choose('Rescore')).getByText('2 scores will be made').waitFor();
    await page.keyboard.press('Escape');
    await poll('they are scored again', async () => (await accountOf()).scored === 3);

    await (await choose('Delete')).waitFor({ state: 'detached' });
    await page.getByText('1–1 of 1').waitFor();
    await row(page, 1).waitFor();
    expect(visit.complaints).toEqual([]);
  });
});

/** The number of the row with the focus; null where another thing has it. */
const focusedRow = (page: Page): Promise<string | null> =>
  page.locator(':focus').getAttribute('data-row');
