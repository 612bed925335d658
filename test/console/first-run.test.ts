import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startTcpProxy } from '@assay/testing/tcp-proxy';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { compile, hasPython, installClients, python } from '../system/clients.ts';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { countedClicks } from './counted-clicks.ts';

const capitals = `question,expected,answer
Capital of France?,Paris,Paris
Capital of Peru?,Lima,Cusco
Capital of Chad?,Ndjamena,Ndjamena
`;

const withPython = (await hasPython()) || Boolean(process.env.CI);

/** As few clicks as issue 38 asks of a first run. */
const clicksMax = 12;

describeInBrowser('a first evaluation', (stage) => {
  const call = async (...request: Parameters<typeof stage.assay.call>) =>
    (await stage.assay.call(...request)).body;

  test('is made by the browser alone from an empty installation, in at most twelve clicks', async () => {
    await using visitor = await stage.visit();
    const { page } = visitor;
    const by = countedClicks();
    await visitor.open('/projects');
    await page.getByRole('heading', { name: 'No projects yet' }).waitFor();
    await by.click(page.getByRole('button', { name: 'New project' }).first());
    await by.fill(page.getByLabel('Name', { exact: true }), 'Capitals');
    await by.click(page.getByRole('button', { name: 'Create', exact: true }));

    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('heading', { name: 'Your first evaluation' }).waitFor();
    expect(await problemsOf(page)).toEqual([]);
    await by.click(steps.getByRole('link', { name: 'Import a file' }));
    const file = { name: 'capitals.csv', content: capitals };
    await by.chooseFile(page.getByLabel('Files', { exact: true }), file);
    await page.getByText('1 run with these answers: answer.').waitFor();
    await by.click(page.getByRole('button', { name: 'Import', exact: true }));

    await by.click(page.getByRole('main').getByRole('link', { name: 'New metric' }));
    await by.fill(page.getByLabel('Name', { exact: true }), 'Right capital');
    await by.select(page.getByLabel('Who scores'), 'builtin');
    await page.getByRole('checkbox', { name: 'Score the run answer by it: 3 records' }).waitFor();
    await by.click(page.getByRole('button', { name: /^Create/ }));

    await page.getByRole('heading', { name: 'answer', level: 1 }).waitFor();
    await page
      .getByText(/66\.7\s?%/)
      .first()
      .waitFor();
    expect(by.count).toBeLessThanOrEqual(clicksMax);
    expect(visitor.complaints).toEqual([]);
  });

  async function newProject({ hasMetric = true } = {}) {
    const project = await call('POST', '/projects', { name: 'Capitals', description: '' });
    const testset = await call('POST', `/projects/${project.id}/testsets`, {
      name: 'Questions',
      description: '',
      jsonSchema: { type: 'object' },
      fieldMapping: { inputs: ['question'], expected: ['expected'], metadata: [] },
    });
    await call('POST', `/testsets/${testset.id}/testcases`, {
      items: ['France', 'Peru', 'Chad'].map((country) => ({
        key: country,
        jsonData: { question: `Capital of ${country}?`, expected: country },
      })),
    });
    const metric = hasMetric
      ? await call('POST', `/projects/${project.id}/metrics`, {
          name: 'Right capital',
          evalType: 'heuristic',
          outputType: 'boolean',
          builtin: { name: 'exact_match', options: {} },
        })
      : undefined;
    return { path: `/projects/${project.id}`, projectId: project.id, testset, metric };
  }

  const recordsOf = async (runId: string) => (await call('GET', `/runs/${runId}/records`)).data;

  const paste = async (page: Page, text: string) => {
    await page.getByLabel('Or paste them').fill(text);
    await page.getByRole('button', { name: 'Check', exact: true }).click();
  };

  test('has its steps ticked by what the project has, with real ids in the commands', async () => {
    const { path, testset, metric } = await newProject();
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(path);
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.getByRole('heading', { name: /Testcases.*done/ }).waitFor();
    await steps.getByRole('heading', { name: /A metric.*done/ }).waitFor();
    await expect.poll(() => steps.locator('[aria-current=step] h3').textContent()).toBe('A run');
    await steps.getByText('From a terminal').last().click();
    const command = steps.locator('pre').last();
    await expect.poll(() => command.textContent()).toContain(`"testsetId":"${testset.id}"`);
    await expect.poll(() => command.textContent()).toContain(`"metricIds":["${metric.id}"]`);
    await steps.getByRole('link', { name: 'New run' }).click();
    await page.getByRole('heading', { name: 'New run', level: 1 }).waitFor();
  });

  test('leads from an empty list of runs and the palette to a new run', async () => {
    const { path } = await newProject();
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`${path}/runs`);
    await page.getByRole('heading', { name: 'No runs yet' }).waitFor();
    await expect.poll(() => page.getByRole('main').locator('pre').count()).toBe(0);
    await page.getByRole('main').getByRole('link', { name: 'New run' }).first().click();
    await page.getByRole('heading', { name: 'New run', level: 1 }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('new run');
    await page.getByRole('dialog').getByText('New run').waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  test('takes pasted answers by their inputs, and names the rows that match nothing before anything is made', async () => {
    const { path, projectId } = await newProject();
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`${path}/runs/new`);
    await paste(
      page,
      'question,v1,v2\nCapital of Peru?,Peru,Lima\nCapital of Mars?,x,y\nCapital of France?,France,Paris\nCapital of Peru?,again,again\n',
    );
    await page.getByText('2 rows matched by the inputs in “question”').waitFor();
    await page.getByText('Row 3: No testcase has these inputs.').waitFor();
    await page.getByText('Row 5: Row 2 answers the same testcase.').waitFor();
    await page.getByText('1 testcase without an answer').waitFor();
    expect((await call('GET', `/projects/${projectId}/runs`)).data).toEqual([]);
    expect(await problemsOf(page)).toEqual([]);
    await page.getByLabel('Name of the run of v2').fill('Second prompt');
    await page.getByRole('button', { name: 'Create 2 runs' }).click();
    await page.getByText('4 of 4 records stored').waitFor();
    const { data } = await call('GET', `/projects/${projectId}/runs`);
    expect(data.map(({ name }: { name: string }) => name).toSorted()).toEqual([
      'Second prompt',
      'v1',
    ]);
    const second = data.find(({ name }: { name: string }) => name === 'Second prompt');
    expect(await recordsOf(second.id)).toMatchObject([
      { inputs: { question: 'Capital of Peru?' }, outputs: { output: 'Lima' } },
      { inputs: { question: 'Capital of France?' }, expected: { expected: 'France' } },
    ]);
    await expect
      .poll(async () => (await call('GET', `/runs/${second.id}`)).status)
      .toBe('completed');
    await page.getByRole('link', { name: 'Compare them' }).click();
    await page.waitForURL(/\/compare\?/);
    expect(visitor.complaints).toEqual([]);
  });

  test('makes nothing of an upload in which no row matches', async () => {
    const { path, projectId } = await newProject();
    await using visitor = await stage.visit();
    const { page } = visitor;
    await visitor.open(`${path}/runs/new`);
    await page.getByLabel('File with answers').setInputFiles({
      name: 'answers.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from('{"key":"Mars","answer":"x"}\n{"key":"Pluto","answer":"y"}\n'),
    });
    await page.getByText('Row 2: No testcase has the key or the inputs of this row.').waitFor();
    await page.getByText('No row has a testcase of this testset.').waitFor();
    const create = page.getByRole('button', { name: 'Create the run' });
    await expect.poll(() => create.isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Other answers' }).click();
    await page.getByLabel('File with answers').setInputFiles({
      name: 'answers.jsonl',
      mimeType: 'text/plain',
      buffer: Buffer.from('{"key":"Peru","answer":{"text":"Lima"}}\n'),
    });
    await page.getByText('1 row matched by their keys in “key”').waitFor();
    await page.getByRole('button', { name: 'Create the run' }).click();
    await page.getByRole('heading', { name: 'answer', level: 1 }).waitFor();
    const [run] = (await call('GET', `/projects/${projectId}/runs`)).data;
    expect(await recordsOf(run.id)).toMatchObject([{ outputs: { text: 'Lima' } }]);
  });

  test('counts the records that an outage left, and stores the rest once', async () => {
    const { path, projectId, testset } = await newProject({ hasMetric: false });
    // The first request has a thousand of them.
    const count = 1100;
    const testcases = Array.from({ length: count }, (_, index) =>
      JSON.stringify({ question: `${index}?`, expected: '' }),
    );
    await call('POST', `/testsets/${testset.id}/testcases/import`, undefined, {
      raw: testcases.join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });
    const csv = Array.from({ length: count }, (_, index) => `${index}?,${index}`).join('\n');
    await using proxy = await startTcpProxy(stage.assay.url);
    await using visitor = await stage.visit({ origin: `http://127.0.0.1:${proxy.port}` });
    const { page } = visitor;
    await visitor.open(`${path}/runs/new`);
    await page.getByLabel('File with answers').setInputFiles({
      name: 'answers.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`question,answer\n${csv}\n`),
    });
    await page.getByText('1,100 rows matched').waitFor();
    let requests = 0;
    await page.route('**/records/bulk', async (route) => {
      requests += 1;
      if (requests === 2) {
        // The service stores them, and its answer is lost.
        await route.fetch();
        proxy.disturb({ kind: 'refuse' });
        proxy.end('reset');
        return route.abort();
      }
      return route.continue();
    });
    await page.getByRole('button', { name: 'Create the run' }).click();
    await page.getByText('1,000 of 1,100 records stored. What is stored stays.').waitFor();
    proxy.heal();
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'answer', level: 1 }).waitFor();
    const { data } = await call('GET', `/projects/${projectId}/runs`);
    expect(data).toMatchObject([{ name: 'answer', numRecords: count }]);
  });

  test.skipIf(!withPython)(
    'from code has lines with the real ids, which fill the run while its page is open',
    async () => {
      const { path } = await newProject();
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(`${path}/runs/new`);
      await page.getByRole('link', { name: 'From your code' }).click();
      await page.getByRole('button', { name: 'Create the run' }).click();
      await page.getByRole('heading', { name: 'No records yet' }).waitFor();
      expect(await problemsOf(page)).toEqual([]);
      const { url, key } = stage.assay;
      await using clients = await installClients({ url, key, languages: ['Python', 'TypeScript'] });
      const code = page.getByRole('main').locator('pre');
      await page.getByRole('button', { name: 'TypeScript' }).click();
      await expect.poll(() => code.textContent()).toContain('inputs["question"]');
      const typed = `declare function answer(text: string): string;\n${await code.textContent()}`;
      expect(await compile(clients, 'lines.ts', typed)).toEqual([0, '']);

      await page.getByRole('button', { name: 'Python' }).click();
      await expect.poll(() => code.textContent()).toContain('import assay');
      const lines = await code.textContent();
      const end = await clients.run(
        'Python',
        `answer = lambda question: question[len("Capital of "):-1]\n${lines}`,
        { ASSAY_URL: '' },
      );
      expect(end.code, end.stderr).toBe(0);
      const state = page.getByRole('region', { name: 'State of the run' });
      await state.getByText('3 records', { exact: true }).waitFor();
      await page
        .getByText(/100\.0\s?%/)
        .first()
        .waitFor();
      expect(visitor.complaints).toEqual([]);
    },
  );

  test.skipIf(!withPython)(
    'from code has a command line and a request that work as they stand',
    async () => {
      const { path } = await newProject();
      await using visitor = await stage.visit();
      const { page } = visitor;
      await visitor.open(`${path}/runs/new?way=code`);
      await page.getByRole('button', { name: 'Create the run' }).click();
      await page.getByRole('button', { name: 'Command line' }).click();
      const code = page.getByRole('main').locator('pre');
      await expect.poll(() => code.textContent()).toContain('--resume');
      const folder = await mkdtemp(join(tmpdir(), 'first-run-'));
      try {
        await writeFile(
          join(folder, 'answer.py'),
          'import json, sys\nfor line in sys.stdin:\n    call = json.loads(line)\n    print(json.dumps({"id": call["id"], "outputs": {"output": "Peru"}}), flush=True)\n',
        );
        const cli = join(import.meta.dirname, '../../cli/dist/main.js');
        const commands = `assay() { node ${cli} "$@"; }\n${await code.textContent()}`;
        await runInShell(commands.replace('python3', python), folder);
      } finally {
        await rm(folder, { recursive: true });
      }
      const state = page.getByRole('region', { name: 'State of the run' });
      await state.getByText('3 records', { exact: true }).waitFor();

      const empty = await call('POST', `${path}/runs`, { metricIds: [] });
      await visitor.open(`${path}/runs/${empty.id}`);
      await page.getByRole('heading', { name: 'No records yet' }).waitFor();
      await runInShell((await code.textContent())!, tmpdir());
      await page.reload();
      await page.getByRole('link', { name: 'Where is my parcel?' }).waitFor();
    },
  );

  const runInShell = (command: string, cwd: string) =>
    promisify(execFile)('bash', ['-c', command], {
      cwd,
      env: { PATH: process.env.PATH, HOME: cwd, ASSAY_API_KEY: stage.assay.key },
    });
});
