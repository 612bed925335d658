import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { describeInBrowser, textsOf } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

describeInBrowser('a comparison', (stage) => {
  let content: Content;
  let path: string;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
    const { projectId, baselineRunId, candidateRunId } = content;
    path = `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${candidateRunId}`;
  });

  test('says the verdict in a sentence, and what it could have found', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    await visitor.page.getByText(/^Undecided: .* is \+25\.0 points/).waitFor();
    await visitor.page
      .getByText(/^A difference as large as this one, 25\.0 points, is found in 80\.0 ?% of/)
      .waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('is planned on the page of a run: how many testcases, and what those there can see', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}/runs/${content.baselineRunId}`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Plan a comparison …' }).click();
    const dialog = page.getByRole('dialog', { name: 'Plan a comparison' });
    await dialog.getByLabel('Difference to be found, in points of a hundred').fill('10');
    await page.keyboard.press('Enter');
    const plan = dialog.getByRole('list', { name: 'Plan' }).getByRole('listitem');
    const sentences = await textsOf(plan);
    expect(sentences[0]).toMatch(
      /^To find a difference of 10\.0 points in 80\.0 ?% of comparisons, each run needs [\d,]+ testcases with a record each\.$/,
    );
    expect(visitor.complaints).toEqual([]);
    expect(sentences[1]).toMatch(/^Its testset has 4 testcases: with a record each they find/);
    await dialog.getByLabel('Difference to be found, in points of a hundred').fill('99');
    await page.keyboard.press('Enter');
    await dialog
      .getByText(/cannot be more than/)
      .first()
      .waitFor();
  });

  test('draws testcases that belong together by a field of the testset, and says how many groups these are', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    await page.getByRole('navigation', { name: 'Groups of testcases' }).waitFor();
    await page.getByLabel('Testcases that belong together').fill('country');
    await page.keyboard.press('Enter');
    await page.waitForURL(/group=%2Finputs%2Fcountry/);
    await page.getByText('are drawn together: 4 groups of 4 testcases.').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('is broken down by a field of the testset or by tags, and a tag leads to its records', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const { candidateRunId } = content;
    const records = await stage.assay.call('GET', `/runs/${candidateRunId}/records`);
    const [{ id }] = records.body.data;
    await stage.assay.call('POST', `/records/${id}/tags`, { text: 'odd one' });
    await visitor.open(path);
    await page.getByRole('navigation', { name: 'Groups of testcases' }).waitFor();
    await page.getByLabel('Break down by').fill('country');
    await page.keyboard.press('Enter');
    await page.waitForURL(/breakdown=%2Finputs%2Fcountry/);
    const rows = page.getByRole('region', { name: 'Values' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(5);
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/1 pair/);
    await page.getByText('The p-values are corrected for the').waitFor();
    await page.getByLabel('Break down by').fill('tags');
    await page.keyboard.press('Enter');
    await rows.getByRole('link', { name: 'odd one' }).click();
    await page.waitForURL(new RegExp(`/runs/${candidateRunId}\\?tags=`));
    await page.getByText('1–1 of 1').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('has the run of each side broken down on its summary, too, where a row leads to its records', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${content.projectId}/runs/${content.baselineRunId}?tab=summary`);
    await page.getByLabel('Break down by').fill('/inputs/country');
    await page.keyboard.press('Enter');
    await page.waitForURL(/breakdown=%2Finputs%2Fcountry/);
    const rows = page.getByRole('region', { name: 'Values' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByText('each is for its own row').waitFor();
    const row = rows.nth(1);
    const value = (await row.getByRole('link').textContent())!;
    await row.getByRole('link').click();
    await page.waitForURL(/breakdownBy=%2Finputs%2Fcountry&breakdownValue=/);
    await page.getByText(`Field: /inputs/country="${value}"`).waitFor();
    await page.getByText('1–1 of 1').waitFor();
    await page.getByRole('grid', { name: 'Records' }).getByText(value).first().waitFor();
    await page.goBack();
    await page.getByText('each is for its own row').waitFor();
    await page.getByLabel('Break down by').fill('/inputs/none');
    await page.keyboard.press('Enter');
    await page.getByText(/finds nothing in the inputs of any record of the run/).waitFor();
  });

  test('counts every group, and a group leads to its testcases, by the URL too', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    const groups = visitor.page.getByRole('navigation', { name: 'Groups of testcases' });
    await groups.waitFor();
    await expect
      .poll(() => groups.getByRole('link').allTextContents())
      .toEqual([
        'Regressed 0',
        'Improved 1',
        'Changed 1',
        'Both fail 0',
        'Both pass 3',
        'Only baseline 0',
        'Only candidate 0',
      ]);
    const pairs = visitor.page.getByRole('article');
    await pairs.first().waitFor();
    await expect.poll(() => pairs.count()).toBe(1);
    await groups.getByRole('link', { name: 'Both pass' }).click();
    await expect.poll(() => pairs.count()).toBe(3);
    await visitor.page.reload();
    await expect.poll(() => pairs.count()).toBe(3);
    await groups.getByRole('link', { name: 'Regressed' }).click();
    await visitor.page.getByText('No testcase: regressed').waitFor();
    await visitor.page.goBack();
    await expect.poll(() => pairs.count()).toBe(3);
  });

  test('shows both answers with what differs, by words, lines and JSON', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    const pair = visitor.page.getByRole('article').first();
    await pair.getByText('improved').waitFor();
    await expect.poll(() => pair.locator('del').allTextContents()).toEqual(['Bergen']);
    await expect.poll(() => pair.locator('ins').allTextContents()).toEqual(['Oslo']);
    await visitor.page.getByLabel('Difference by').selectOption('json');
    await pair.getByText('/answer').waitFor();
    const changed = whatChanged(visitor.page);
    expect(await changed.getByText('atlas 2').isVisible()).toBe(false);
    await changed.getByText(/^What changed: /).click();
    await changed.getByText('atlas 2').waitFor();
  });

  test('is walked, and its testcases tagged, by the keyboard alone', async () => {
    await using visitor = await stage.visit();
    await visitor.open(`${path}&show=bothPass`);
    const pairs = visitor.page.getByRole('article');
    await expect.poll(() => pairs.count()).toBe(3);
    for (const _ of [1, 2]) await visitor.page.keyboard.press('n');
    const current = visitor.page.locator('article[aria-current=true]');
    await expect
      .poll(
        async () => (await current.count()) && (await pairs.nth(1).getAttribute('aria-current')),
      )
      .toBe('true');
    await visitor.page.keyboard.press('t');
    await current.getByText('tagged “discuss”').waitFor();
    await expect
      .poll(async () => {
        const { call } = stage.assay;
        const tagged = await call('GET', `/runs/${content.candidateRunId}/records?tags=discuss`);
        return tagged.body.data.length;
      })
      .toBe(1);
  });

  test('goes into a pull request as Markdown, and into a pipeline as a command', async () => {
    await using visitor = await stage.visit();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open(path);
    await visitor.page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(() => visitor.page.evaluate('navigator.clipboard.readText()'))
      .toContain('| Metric | Testcases | Baseline |');
    await visitor.page.getByRole('button', { name: 'Gate command' }).click();
    await visitor.page
      .getByText(`--baseline ${content.baselineRunId} --candidate ${content.candidateRunId}`)
      .waitFor();
  });

  test('warns of testcases that were changed between the runs, on the page and in the Markdown', async () => {
    const { call } = stage.assay;
    const { testsetId, metricIds } = (await call('GET', `/runs/${content.baselineRunId}`)).body;
    const run = { testsetId, metricIds };
    const changed = (await call('POST', `/projects/${content.projectId}/runs`, run)).body;
    const records = await call('GET', `/runs/${content.baselineRunId}/records`);
    for (const { testcaseId, expected, outputs } of records.body.data)
      await call('POST', `/runs/${changed.id}/records`, {
        testcaseId,
        inputs: { country: 'another' },
        expected,
        outputs,
      });
    await using visitor = await stage.visit();
    await visitor.context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await visitor.open(path.replace(content.candidateRunId, changed.id));
    const warning = '4 of 4 testcases were changed between the runs (their inputs)';
    await visitor.page.getByText(warning).waitFor();
    await visitor.page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await expect
      .poll(() => visitor.page.evaluate('navigator.clipboard.readText()'))
      .toContain(`- ${warning}`);
  });

  test('says how to prefer an answer where the runs have no metric for it', async () => {
    await using visitor = await stage.visit();
    await visitor.open(path);
    await visitor.page.getByText(/^To say by a key which answer is better/).waitFor();
    expect(await visitor.page.getByRole('group', { name: /^Better by/ }).count()).toBe(0);
  });

  test('takes preferences by the keyboard, shows them, and takes them back', async () => {
    const { call } = stage.assay;
    const { records, versionId, path } = await makePreferable();
    const valuesOf = (scores: { metricConfigId: string; score: { value: boolean } }[]) =>
      scores.filter((one) => one.metricConfigId === versionId).map(({ score }) => score.value);
    const scores = () =>
      Promise.all(
        records.map(async (id) => valuesOf((await call('GET', `/records/${id}`)).body.scores)),
      );
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    const group = page.getByRole('group', { name: 'Better by Good' });
    await group.waitFor();
    await page.keyboard.press('n');
    await page.locator('article[aria-current=true]').waitFor();
    await page.keyboard.press('b');
    await group.getByRole('button', { name: /Newer/, pressed: true }).waitFor();
    await expect.poll(scores).toEqual([[false], [true]]);
    await page.keyboard.press('a');
    await expect.poll(scores).toEqual([[true], [false]]);
    await page.keyboard.press('e');
    await expect.poll(scores).toEqual([[true], [true]]);
    await page.keyboard.press('u');
    await expect.poll(scores).toEqual([[true], [false]]);
    await page.keyboard.press('a');
    await expect.poll(scores).toEqual([[], []]);
    expect(await group.getByRole('button', { pressed: true }).count()).toBe(0);
    await group.getByRole('button', { name: /Newer/ }).click();
    await expect.poll(scores).toEqual([[false], [true]]);
    await page.reload();
    await group.getByRole('button', { name: /Newer/, pressed: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('on paper has verdict, plot, warnings and what changed, black on white, and nothing to press', async () => {
    await using visitor = await stage.visit({ theme: 'dark' });
    const { page } = visitor;
    await visitor.open(path);
    await page.getByText(/^Undecided: /).waitFor();
    await page.getByRole('article').first().waitFor();
    const model = whatChanged(page).getByText('atlas 2');
    expect(await model.isVisible()).toBe(false);
    await page.emulateMedia({ media: 'print' });
    for (const text of [/^Undecided: /, /^What changed: /])
      await page.getByText(text).first().waitFor();
    await model.waitFor();
    await expect.poll(() => page.locator('main svg[role=img]').first().isVisible()).toBe(true);
    expect(await page.getByRole('button').count()).toBe(0);
    expect(await page.getByRole('link', { name: 'Overview' }).count()).toBe(0);
    expect(await page.evaluate('getComputedStyle(document.documentElement).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    );
  });

  /** How the configurations of the two versions differ: folded, until somebody opens it. */
  const whatChanged = (page: Page) =>
    page.locator('details', { has: page.getByText(/^What changed: /) });

  test('names the part of the testset that a run is over, as its page, the lists and the overview do', async () => {
    const { call } = stage.assay;
    const { projectId, testsetId, baselineRunId } = content;
    const { metricIds } = (await call('GET', `/runs/${baselineRunId}`)).body;
    const { data } = (await call('GET', `/testsets/${testsetId}/testcases?limit=1`)).body;
    const [field, value] = Object.entries(data[0].jsonData).find(
      (entry): entry is [string, string] => typeof entry[1] === 'string',
    )!;
    const body = { name: 'Part', testsetId, metricIds, where: { [`/${field}`]: value } };
    const run = (await call('POST', `/projects/${projectId}/runs`, body)).body;
    expect(run.numTestcases).toBe(1);
    const { id: testcaseId, inputs, expected } = data[0];
    const record = { testcaseId, inputs, expected, outputs: { answer: 'x' } };
    await call('POST', `/runs/${run.id}/records`, record);
    const part = `on 1 of ${run.numTestsetTestcases} testcases, ${field} = ${value}`;
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}/runs/${run.id}`);
    await page.getByText(`This run is ${part}.`).waitFor();
    await visitor.open(`/projects/${projectId}/runs`);
    await page.getByText(part).first().waitFor();
    await visitor.open(
      `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${run.id}`,
    );
    await page.getByText(part).first().waitFor();
    const candidates = [run.id, content.candidateRunId].map((id) => `&candidate=${id}`).join('');
    await visitor.open(`/projects/${projectId}/compare?baseline=${baselineRunId}${candidates}`);
    await page.getByRole('columnheader', { name: part }).waitFor();
    await visitor.open(`/projects/${projectId}`);
    await page.getByText(part).first().waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('says last how often the systems failed, where one of them did', async () => {
    const { call } = stage.assay;
    const { projectId, testsetId, baselineRunId } = content;
    const { metricIds } = (await call('GET', `/runs/${baselineRunId}`)).body;
    const body = { name: 'Failing', testsetId, metricIds };
    const run = (await call('POST', `/projects/${projectId}/runs`, body)).body;
    const { data } = (await call('GET', `/testsets/${testsetId}/testcases`)).body;
    for (const { id: testcaseId, inputs, expected } of data) {
      const error = { name: 'TimeoutError', message: 'The system gave no answer.' };
      const stored = await call('POST', `/runs/${run.id}/records`, {
        ...{ testcaseId, inputs, expected, error },
      });
      expect(stored.status, stored.text).toBe(201);
    }
    await using visitor = await stage.visit();
    await visitor.open(
      `/projects/${projectId}/compare?baseline=${baselineRunId}&candidate=${run.id}`,
    );
    const row = visitor.page
      .getByRole('listitem')
      .filter({ has: visitor.page.getByRole('heading', { name: 'Errors' }) });
    await row
      .getByText(/100\.0 points/)
      .first()
      .waitFor();
    expect(visitor.complaints).toEqual([]);
    await visitor.open(path);
    await visitor.page.getByText(/^Undecided: /).waitFor();
    expect(await visitor.page.getByRole('heading', { name: 'Errors' }).count()).toBe(0);
  });

  /** Two runs of one testcase with a human metric of yes or no, beside one that they differ by. */
  async function makePreferable() {
    const { call } = stage.assay;
    const inProject = `/projects/${content.projectId}`;
    const metricIds: string[] = [];
    for (const metric of [
      { name: 'Grade', evalType: 'heuristic', outputType: 'int' },
      { name: 'Good', evalType: 'human', outputType: 'boolean' },
    ])
      metricIds.push((await call('POST', `${inProject}/metrics`, metric)).body.id);
    const testcases = await call('GET', `/testsets/${content.testsetId}/testcases?limit=1`);
    const [testcase] = testcases.body.data;
    const [runs, records]: [string[], string[]] = [[], []];
    let versionId = '';
    for (const [name, value] of [
      ['Older', 2],
      ['Newer', 4],
    ] as const) {
      const body = { name, metricIds, testsetId: content.testsetId };
      const run = (await call('POST', `${inProject}/runs`, body)).body;
      const { id, inputs, expected } = testcase;
      const record = await call('POST', `/runs/${run.id}/records`, {
        testcaseId: id,
        inputs,
        expected,
        outputs: { answer: name },
      });
      expect(record.status, record.text).toBe(201);
      await call('PUT', `/records/${record.body.id}/scores/${run.metricVersionIds[0]}`, {
        score: { value },
      });
      versionId = run.metricVersionIds[1];
      runs.push(run.id);
      records.push(record.body.id);
    }
    const path = `${inProject}/compare?baseline=${runs[0]}&candidate=${runs[1]}`;
    return { records, versionId, path: `${path}&metric=${metricIds[0]}` };
  }
});
