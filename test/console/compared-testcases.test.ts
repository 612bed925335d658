import { beforeAll, expect, test } from 'vitest';
import { colourProblemsOf, problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { countedClicks } from './counted-clicks.ts';

/** What three versions answer to each question, of which `right` is expected. */
const answers = [
  ['right', 'right', 'wrong'],
  ['right', 'right', 'right'],
  ['wrong', 'right', 'wrong'],
  ['wrong', 'wrong', 'wrong'],
];

describeInBrowser('testcases of several runs', (stage) => {
  let projectId: string;
  const runIds: string[] = [];
  const make = async (path: string, body: unknown) => {
    const reply = await stage.assay.call('POST', path, body);
    expect(reply.status, reply.text).toBe(201);
    return reply.body;
  };

  beforeAll(async () => {
    projectId = (await make('/projects', { name: 'Versions', description: '' })).id;
    const testset = await make(`/projects/${projectId}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object', properties: { question: { type: 'string' } } },
      fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
    });
    const { items } = await make(`/testsets/${testset.id}/testcases`, {
      items: answers.map((_, place) => ({ jsonData: { question: `Question ${place}` } })),
    });
    const metric = await make(`/projects/${projectId}/metrics`, {
      name: 'Correct, by the words that the testset has for what is expected of an answer',
      evalType: 'heuristic',
      outputType: 'boolean',
    });
    for (const version of [0, 1, 2]) {
      const run = await make(`/projects/${projectId}/runs`, {
        name: `v${version + 1}`,
        testsetId: testset.id,
        metricIds: [metric.id],
      });
      runIds.push(run.id);
      for (const [place, ofVersions] of answers.entries())
        await make(`/runs/${run.id}/records`, {
          testcaseId: items[place].id,
          inputs: { question: `Question ${place}` },
          expected: { answer: 'right' },
          outputs: { answer: `the ${ofVersions[version]} answer` },
          metrics: { latencyMs: 100 * (version + 1), costUsd: 0.01 },
          otelLinkId: `link-${version}-${place}`,
        });
      for (const { id, outputs } of (await stage.assay.call('GET', `/runs/${run.id}/records`)).body
        .data)
        await stage.assay.call('PUT', `/records/${id}/scores/${run.metricVersionIds[0]}`, {
          score: { value: outputs.answer === 'the right answer' },
        });
    }
  });

  const path = (more = '') =>
    `/projects/${projectId}/compare?baseline=${runIds[0]}&candidate=${runIds[1]}&candidate=${runIds[2]}${more}`;

  test('are six clicks from the page of the project', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`/projects/${projectId}`);
    const clicks = countedClicks();
    await clicks.click(page.getByRole('link', { name: 'Runs', exact: true }));
    for (const name of ['v1', 'v2', 'v3'])
      await clicks.click(page.getByRole('checkbox', { name: `Select ${name}` }));
    await clicks.click(page.getByRole('button', { name: 'Compare', exact: true }));
    await clicks.click(page.getByRole('link', { name: 'Testcases', exact: true }));
    const rows = page.getByRole('region', { name: 'Testcases by run' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(5);
    await expect.poll(() => rows.first().textContent()).toBe('Testcasev1 (baseline)v2v3');
    // Those on which the versions differ come first.
    await expect
      .poll(() => rows.getByRole('rowheader').allTextContents())
      .toEqual(['Question 0', 'Question 2', 'Question 1', 'Question 3']);
    await expect.poll(() => rows.nth(1).textContent()).toMatch(/✓ pass.*✓ pass.*✗ fail/);
    expect(clicks.count).toBeLessThanOrEqual(6);
    expect(visitor.complaints).toEqual([]);
  });

  test('are filtered by what became of them, and the filters are in the address', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path('&tab=testcases'));
    const rows = page.getByRole('region', { name: 'Testcases by run' }).getByRole('row');
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByLabel('v1', { exact: true }).selectOption('pass');
    await page.getByLabel('v3', { exact: true }).selectOption('fail');
    await expect.poll(() => rows.count()).toBe(2);
    await expect.poll(() => rows.nth(1).textContent()).toContain('Question 0');
    await page.reload();
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByLabel('v2', { exact: true }).selectOption('fail');
    await page.getByText('No testcase of these runs has a score').waitFor();
    // A filter goes with its run.
    await page.getByRole('button', { name: 'Take v2 away' }).click();
    await page.waitForURL((url) => !url.search.includes('failing'));
    await expect.poll(() => rows.count()).toBe(5);
    await page.getByRole('combobox', { name: 'Add a run' }).click();
    await page.getByRole('option', { name: /^v2/ }).click();
    await expect.poll(() => rows.first().textContent()).toBe('Testcasev1 (baseline)v3v2');
  });

  test('are walked by the keyboard, and told apart word by word from the run that is chosen', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path(`&tab=testcases&passing=${runIds[0]}&failing=${runIds[2]}`));
    const table = page.getByRole('region', { name: 'Testcases by run' });
    await table.getByText('Question 0').waitFor();
    await expect.poll(() => table.locator('del').allTextContents()).toEqual(['right']);
    await expect.poll(() => table.locator('ins').allTextContents()).toEqual(['wrong']);
    await page.getByLabel('Differences from').selectOption({ label: 'v3' });
    await expect.poll(() => table.locator('ins').allTextContents()).toEqual(['right', 'right']);
    await page.locator('main').click({ position: { x: 2, y: 2 } });
    for (const _ of ['lines', 'none']) await page.keyboard.press('d');
    await expect.poll(() => table.locator('ins').count()).toBe(0);
    await page.keyboard.press('1');
    await expect.poll(() => table.getByRole('columnheader').count()).toBe(2);
    await page.keyboard.press('1');
    await page.keyboard.press('n');
    await expect.poll(() => table.locator('tr[aria-current=true]').count()).toBe(1);
    await table.getByRole('link', { name: '✗ fail' }).click();
    await page.waitForURL(/\/records\//);
  });

  test('stand below a table of verdicts that are corrected for all of the runs', async () => {
    await using visitor = await stage.visit({ width: 390 });
    const { page } = visitor;
    await visitor.open(path());
    const table = page.getByRole('region', { name: 'Runs against the baseline' });
    await expect.poll(() => table.getByText('undecided').count()).toBe(4);
    await page.getByText('corrected for all runs and metrics of this table').waitFor();
    await page.getByRole('link', { name: 'Testcases', exact: true }).click();
    await page.getByRole('region', { name: 'Testcases by run' }).getByText('Question 0').waitFor();
    expect(await problemsOf(page)).toEqual([]);
    expect(await colourProblemsOf(page)).toEqual([]);
    const width = await page.evaluate('document.documentElement.scrollWidth');
    expect(width).toBeLessThanOrEqual(390);
  });

  test('stand below what each system took: latency, tokens and cost', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const rows = page.getByRole('region', { name: 'Latency, tokens and cost' }).getByRole('row');
    const figures = ['v1100 ms100 ms–$0.04', 'v2200 ms200 ms–$0.04', 'v3300 ms300 ms–$0.04'];
    for (const shown of [figures, figures.slice(0, 2)]) {
      await visitor.open(
        `/projects/${projectId}/compare?baseline=${runIds[0]}&${runIds
          .slice(1, shown.length)
          .map((id) => `candidate=${id}`)
          .join('&')}`,
      );
      await expect.poll(async () => (await rows.allTextContents()).slice(1)).toEqual(shown);
    }
    expect(visitor.complaints).toEqual([]);
  });

  test('of two runs show every figure of both, with the way to their traces', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(
      `/projects/${projectId}/compare?baseline=${runIds[0]}&candidate=${runIds[2]}`,
    );
    const pair = page.getByRole('article').first();
    await pair.getByText('100 ms → 300 ms').waitFor();
    await pair.getByText('✓ pass → ✗ fail').nth(1).waitFor();
    await pair.getByText('$0.01').first().waitFor();
    const traces = pair.getByRole('definition').last();
    await expect
      .poll(() => traces.getByRole('link').first().getAttribute('href'))
      .toBe(`/projects/${projectId}/traces?linkId=link-0-0`);
  });
});
