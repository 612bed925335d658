import { beforeAll, expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser, openRun } from './browser.ts';

describeInBrowser('lists are filtered', (stage) => {
  let projectId: string;
  let runId: string;
  let testsetId: string;
  let metricVersionId: string;
  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };
  const pathOfRun = () => `/projects/${projectId}/runs/${runId}`;

  beforeAll(async () => {
    projectId = (await make('/projects', { name: 'Filters', description: '' })).id;
    const testset = await make(`/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    testsetId = testset.id;
    const items = ['Where is it?', 'Who has it?'].map((question) => ({ jsonData: { question } }));
    await make(`/testsets/${testsetId}/testcases`, { items });
    const metric = await make(`/projects/${projectId}/metrics`, {
      name: 'Answer quality',
      evalType: 'human',
      outputType: 'int',
    });
    const run = await make(`/projects/${projectId}/runs`, {
      name: 'Nightly of Monday',
      labels: { commit: '4f7c2aa' },
      testsetId,
      metricIds: [metric.id],
    });
    await make(`/projects/${projectId}/runs`, { name: 'Nightly of Tuesday', metricIds: [] });
    runId = run.id;
    metricVersionId = run.metricVersionIds[0];
    for (let index = 0; index < 10; index += 1) {
      const record = await make(`/runs/${runId}/records`, {
        inputs: { question: `Question ${index}` },
        expected: {},
        outputs: { answer: index === 7 ? 'a refund' : 'an answer' },
        tags: [...(index < 4 ? ['regression'] : []), ...(index < 2 ? ['two words'] : [])],
      });
      if (index < 6)
        await stage.assay.call('PUT', `/records/${record.id}/scores/${metricVersionId}`, {
          score: { value: 1 + (index % 5) },
        });
    }
  });

  const open = async (path: string) => {
    const visit = await stage.visit();
    await (path.startsWith(pathOfRun()) ? openRun(visit, path) : visit.open(path));
    const { page } = visit;
    return {
      visit,
      page,
      field: page.getByRole('combobox', { name: /^Filter / }),
      pills: page.getByRole('list', { name: 'Filters in force' }).getByRole('listitem'),
      /** What a screen reader says of the filters last. */
      told: page.getByRole('search').getByRole('status'),
    };
  };

  test('by words: each becomes a pill, which a screen reader names, and Back takes one step', async () => {
    const { visit, page, field, pills, told } = await open(pathOfRun());
    await using _ = visit;
    await page.getByText('1–10 of 10').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('tag:regression');
    await page.keyboard.press('Enter');
    await page.getByText('1–4 of 4').waitFor();
    await expect.poll(() => told.textContent()).toBe('Added Tag: regression.');
    await page.keyboard.type('"answer quality">=2 tag:"two words"');
    await page.keyboard.press('Enter');
    await page.getByText('1–1 of 1').waitFor();
    await expect
      .poll(() => pills.allTextContents())
      .toEqual(['Answer quality at least: 2✕', 'Tag: regression✕', 'Tag: two words✕']);
    await expect
      .poll(() => told.textContent())
      .toBe('Added Answer quality at least: 2. Added Tag: two words.');
    expect(await field.inputValue()).toBe('');
    await page.goBack();
    await page.getByText('1–4 of 4').waitFor();
    await expect.poll(() => pills.allTextContents()).toEqual(['Tag: regression✕']);
    await page.getByRole('button', { name: 'Take away: Tag: regression' }).click();
    await page.getByText('1–10 of 10').waitFor();
    await expect.poll(() => told.textContent()).toBe('Took away Tag: regression.');
    await page.goBack();
    await page.getByText('1–4 of 4').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('by words that are entered before the names of metrics are read: they wait for them', async () => {
    const visit = await stage.visit();
    await using _ = visit;
    const { page } = visit;
    let isEntered = false;
    await page.route('**/summary*', async (route) => {
      await expect.poll(() => isEntered).toBe(true);
      await route.continue();
    });
    await visit.open(pathOfRun());
    await page.getByText('1–10 of 10').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('"answer quality">=4');
    await page.keyboard.press('Enter');
    isEntered = true;
    await page.getByText('Answer quality at least: 4', { exact: true }).waitFor();
    await page.getByText('1–2 of 2').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('from the menu, by those who do not write filters, and by presets', async () => {
    const { visit, page, pills } = await open(pathOfRun());
    await using _ = visit;
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Filter by').selectOption('Answer quality at most');
    await page.getByLabel('Value').fill('many');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByRole('alert').getByText('“many” is not a number, such as 0.5.').waitFor();
    await page.getByLabel('Value').fill('2');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText('1–3 of 3').waitFor();
    await page.getByRole('button', { name: 'Add filter' }).click();
    await page.getByLabel('Filter by').selectOption('Annotations');
    await page.getByLabel('Value').selectOption('without');
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await expect
      .poll(() => pills.allTextContents())
      .toEqual(['Answer quality at most: 2✕', 'Annotations: without✕']);
    expect(await problemsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Take all away' }).click();
    await page.getByText('1–10 of 10').waitFor();
    await page.getByRole('button', { name: 'Presets' }).click();
    await page.getByRole('link', { name: 'Waits for a person' }).click();
    await page.getByText('1–4 of 4').waitFor();
    await expect
      .poll(() => pills.allTextContents())
      .toEqual(['Answer quality: waits for a person✕']);
    expect(visit.complaints).toEqual([]);
  });

  test('by the keyboard alone: completions are walked, and Backspace takes the last pill away', async () => {
    const { visit, page, field, pills } = await open(pathOfRun());
    await using _ = visit;
    await page.getByText('1–10 of 10').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('ans');
    await page.getByRole('option', { name: '"Answer quality": ' }).waitFor();
    await expect.poll(() => field.getAttribute('aria-expanded')).toBe('true');
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    const active = page.locator(`[id="${await field.getAttribute('aria-activedescendant')}"]`);
    await expect.poll(() => active.textContent()).toContain('"Answer quality":');
    await page.keyboard.press('Enter');
    await expect.poll(() => field.inputValue()).toBe('"Answer quality":');
    await page.keyboard.type('wait');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.getByText('1–4 of 4').waitFor();
    await page.keyboard.type('assignee:');
    await page.keyboard.press('Escape');
    await page.getByRole('listbox').waitFor({ state: 'detached' });
    await expect.poll(() => field.inputValue()).toBe('assignee:');
    await page.keyboard.type('me');
    await page.keyboard.press('Enter');
    await page.getByText('No record passes these filters').waitFor();
    await page.keyboard.press('Backspace');
    await page.getByText('1–4 of 4').waitFor();
    await expect
      .poll(() => pills.allTextContents())
      .toEqual(['Answer quality: waits for a person✕']);
    await page.keyboard.press('Backspace');
    await page.getByText('1–10 of 10').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  test('by a link that somebody sent: its filters stand as pills', async () => {
    const { visit, page, pills } = await open(
      `${pathOfRun()}?metricVersionId=${metricVersionId}&min=2&max=4&tags=regression&order=desc`,
    );
    await using _ = visit;
    await page.getByText('1–3 of 3').waitFor();
    await expect
      .poll(() => pills.allTextContents())
      .toEqual(['Answer quality: 2..4✕', 'Tag: regression✕', 'Order: newest first✕']);
    await page.reload();
    await expect.poll(() => pills.count()).toBe(3);
  });

  test('and a mistyped filter is told at its place, where it stays to be mended', async () => {
    const { visit, page, field, pills } = await open(pathOfRun());
    await using _ = visit;
    await field.fill('tag:regression Helpfull:fail');
    await field.press('Enter');
    await page
      .getByRole('alert')
      .getByText('“Helpfull” is no filter here: in quotes it is searched as text.')
      .waitFor();
    await page.getByText('1–4 of 4').waitFor();
    await expect.poll(() => pills.allTextContents()).toEqual(['Tag: regression✕']);
    await expect.poll(() => field.inputValue()).toBe('Helpfull:fail');
    expect(await page.evaluate('getSelection().toString()')).toBe('Helpfull:fail');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('true');
    expect(await problemsOf(page)).toEqual([]);
    await page.keyboard.type('refund');
    await expect.poll(() => field.getAttribute('aria-invalid')).toBe('false');
    await page.keyboard.press('Enter');
    await page.getByText('Searched 10 of 10 records').waitFor();
    await page.getByText('The text is searched in every record of the run').waitFor();
    await expect
      .poll(() => pills.allTextContents())
      .toEqual(['Tag: regression✕', 'Text: “refund”✕']);
    expect(visit.complaints).toEqual([]);
  });

  test('among runs, whose names are followed while one writes, as one step back', async () => {
    const { visit, page, field, pills } = await open(`/projects/${projectId}/runs`);
    await using _ = visit;
    await page.getByText('1–2 of 2').waitFor();
    await field.pressSequentially('nightly', { delay: 60 });
    await page.waitForURL('**/runs?name=nightly');
    await field.pressSequentially(' of mon', { delay: 60 });
    await page.getByText('1–1 of 1').waitFor();
    expect(await pills.count()).toBe(0);
    await field.press('Enter');
    await expect.poll(() => pills.allTextContents()).toEqual(['Name: “nightly of mon”✕']);
    await field.fill('testset:questions label:commit:4f7c2aa by:me source:api');
    await field.press('Enter');
    await expect.poll(() => pills.count()).toBe(5);
    await page.getByText('1–1 of 1').waitFor();
    await page.goBack();
    await expect.poll(() => pills.allTextContents()).toEqual(['Name: “nightly of mon”✕']);
    await page.goBack();
    await page.getByText('1–2 of 2').waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(visit.complaints).toEqual([]);
  });

  test('among testcases, and Back ends a text that was not entered yet', async () => {
    const { visit, page, field, pills } = await open(
      `/projects/${projectId}/testsets/${testsetId}`,
    );
    await using _ = visit;
    await page.getByText('1–2 of 2').waitFor();
    await field.fill('WHO has');
    await page.getByText('1–1 of 1').waitFor();
    await page.goBack();
    await page.getByText('1–2 of 2').waitFor();
    expect(await field.inputValue()).toBe('');
    await field.fill('is:invalid');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'No such testcase' }).waitFor();
    await expect.poll(() => page.getByLabel('Invalid only').isChecked()).toBe(true);
    await page.getByLabel('Invalid only').uncheck();
    await expect.poll(() => pills.count()).toBe(0);
    expect(visit.complaints).toEqual([]);
  });

  test('in a window 320 px wide, by the rules of WCAG 2.2 AA, in both themes', async () => {
    await using visit = await stage.visit({ theme: 'light', width: 320, height: 640 });
    const { page } = visit;
    const tag = 'a-tag-that-is-much-longer-than-a-narrow-window-is-wide-by-far';
    await visit.open(`${pathOfRun()}?tags=regression&tags=${tag}&text=refund`);
    await page.getByText('Searched 10 of 10 records').waitFor();
    await page.getByLabel('Filter records').pressSequentially('a');
    await page.getByRole('listbox').getByRole('option').first().waitFor();
    expect(await problemsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await colourProblemsOf(page)).toEqual([]);
  });
});
