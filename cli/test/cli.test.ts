import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@assay/client/client';
import { freePort } from '@assay/local/port';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expiredProjectFile } from '../../services/transfers/test/expired-project.ts';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { awaitCompletion, commandsAt, runAssay, sendRecords } from './command.ts';

let assay: SharedInstallation;
let commands: ReturnType<typeof commandsAt>;
let client: Client;
let folder: string;
let project: string;
let metric: string;
let testset: string;
const runs = { first: '', second: '' };

const ask = (...args: string[]) => commands.ask(...args);
/** The same without a process, as `askJson` has it. */
const askHere = (...args: string[]) => commands.askInProcess(...args);
const askJson = (...args: string[]) => commands.askJson(...args);
const create = (path: string, body: unknown) => commands.create(path, body);

/** A run that is right on the first testcases, and whose system fails on the last. */
async function createRun(name: string, right: number, failed = 0): Promise<string> {
  const id = await create(`/projects/${project}/runs`, {
    testsetId: testset,
    metricIds: [metric],
    name,
    labels: { branch: name },
  });
  let index = 0;
  const lines: string[] = [];
  for await (const { id: testcaseId, inputs, expected } of client.list(
    '/testsets/:testsetId/testcases',
    { params: { testsetId: testset } },
  )) {
    const answer = { outputs: index < right ? expected : { answer: '=no' } };
    const error = { error: { name: 'TimeoutError', message: '' } };
    const said = index < 20 - failed ? answer : error;
    index += 1;
    lines.push(JSON.stringify({ testcaseId, inputs, expected, ...said }));
  }
  await sendRecords(client, id, lines);
  await awaitCompletion(client, id);
  return id;
}

beforeAll(async () => {
  assay = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-cli-'));
  commands = commandsAt({ url: assay.url, key: assay.key, folder });
  client = commands.client;
  project = await create('/projects', { name: 'Support', description: '' });
  testset = await create(`/projects/${project}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: {}, answer: {} } },
    fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
  });
  const items = Array.from({ length: 20 }, (_, index) => ({
    jsonData: { question: `${index}?`, answer: `${index}!` },
  }));
  await client.request('POST', '/testsets/:testsetId/testcases', {
    params: { testsetId: testset },
    body: { items },
  });
  metric = await create(`/projects/${project}/metrics`, {
    name: 'Same: answer',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: {} },
  });
  runs.first = await createRun('Prompt 1', 18);
  runs.second = await createRun('Prompt 2', 3);
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

describe('keys', () => {
  test('login stores a key that only its owner can read, whoami and other commands use it, logout forgets it', async () => {
    const environment = { XDG_CONFIG_HOME: join(folder, 'config') };
    const login = await runAssay(['login', assay.url, '--key', '-'], {
      environment,
      input: `${assay.key}\n`,
    });
    expect(login).toMatchObject({ exitCode: 0, stdout: '' });
    expect(login.stderr).toContain(`Logged in to ${assay.url}: `);
    const file = join(folder, 'config/assay/credentials.json');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(join(folder, 'config/assay'))).mode & 0o777).toBe(0o700);
    const who = await runAssay(['whoami', '--json'], { environment });
    expect(JSON.parse(who.stdout)).toMatchObject({
      url: `${assay.url}/v2`,
      role: 'admin',
      source: 'login',
      key: { prefix: assay.key.slice(0, JSON.parse(who.stdout).key.prefix.length) },
    });
    expect(who.stdout + login.stderr).not.toContain(assay.key);
    const gate = ['gate', '--baseline', runs.first, '--candidate', runs.second];
    expect((await runAssay(gate, { environment })).exitCode).toBe(1);
    const logout = await runAssay(['logout', '--json'], { environment });
    expect(JSON.parse(logout.stdout)).toEqual({
      url: `${assay.url}/v2`,
      wasLoggedIn: true,
      wasRevoked: false,
    });
    expect(await readFile(file, 'utf8')).not.toContain(assay.key);
    const after = await runAssay(['whoami', '--url', assay.url], { environment });
    expect(after.exitCode).toBe(2);
    expect(after.stderr).toBe(
      `There is no key for ${assay.url}/v2: log in (assay login ${assay.url}), or set ASSAY_API_KEY.\n`,
    );
  });

  test('a wrong key is told, not stored, and exit 2', async () => {
    const environment = { XDG_CONFIG_HOME: join(folder, 'wrong') };
    const { exitCode, stdout, stderr } = await runAssay(['login', assay.url, '--key', '-'], {
      environment,
      input: 'ak_wrong',
    });
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr).toMatch(
      /^The key is not accepted at .*\. Log in again \(assay login\), or give another key\.\n$/,
    );
    await expect(stat(join(folder, 'wrong'))).rejects.toThrow('ENOENT');
  });

  test('a key that is an argument is refused, since others see arguments', async () => {
    const { exitCode, stderr } = await runAssay(['login', '--key', 'ak_1']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--key -');
    expect(stderr).not.toContain('ak_1');
  });

  test('a server that is not there is told with its address, and exit 2', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { exitCode, stderr } = await ask('runs', '--url', url);
    expect(exitCode).toBe(2);
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      new RegExp(`^Assay is not reached at ${url}/v2: .*ECONNREFUSED.* ASSAY_URL or by --url\\.$`),
    );
  });

  test('something else that answers at the address is told as such', async () => {
    const server = createServer((_, response) => response.end('<h1>hello</h1>'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const { exitCode, stderr } = await ask('whoami', '--url', `http://127.0.0.1:${port}`);
    server.close();
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is not Assay');
  });
});

describe('runs', () => {
  test('are listed newest first, by filters, in 80 columns', async () => {
    const { stdout, stderr } = await ask('runs', '--project', 'Support');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => line.slice(0, 36).trim())).toEqual(['RUN', runs.second, runs.first]);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(stderr).toBe('');
    const { data } = await askJson('runs', '--label', 'branch:Prompt 1', '--testset', 'Questions');
    expect(data.map(({ id }: { id: string }) => id)).toEqual([runs.first]);
  });

  test('are listed by time and in the order of their names', async () => {
    const idsBy = async (...options: string[]) =>
      (await askJson('runs', ...options)).data.map(({ id }: { id: string }) => id);
    expect(await idsBy('--from', '1h')).toEqual([runs.second, runs.first]);
    expect(await idsBy('--to', '1h')).toEqual([]);
    expect(await idsBy('--from', '2026-01-01', '--order', 'asc')).toEqual([
      runs.first,
      runs.second,
    ]);
    expect(await idsBy('--sort', 'name')).toEqual([runs.first, runs.second]);
    const { exitCode, stderr } = await ask('runs', '--from', 'yesterday');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Write 2026-11-20, 2026-11-20T09:30, or 7d for seven days ago.');
  });

  test('are listed by the mean of a metric, which is shown beside them', async () => {
    const best = ['--metric', 'Same: answer', '--sort', 'mean'];
    await expect
      .poll(async () => (await askHere('runs', ...best)).stdout, { timeout: 30_000 })
      .toMatch(/MEAN\n.*Prompt 1.* 90\.0 %\n.*Prompt 2.* 15\.0 %\n/s);
    const { data } = await askJson('runs', ...best, '--max', '0.5');
    expect(data.map(({ id }: { id: string }) => id)).toEqual([runs.second]);
    const { exitCode, stderr } = await askHere('runs', '--sort', 'mean');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--sort mean, --min and --max need --metric.');
  });

  test('a page that is cut says so', async () => {
    expect(await askJson('runs', '--limit', '1')).toMatchObject({
      data: [{ id: runs.second }],
      hasMore: true,
    });
  });

  test('of a project that is not there: the names that are like it', async () => {
    const { exitCode, stderr } = await askHere('runs', '--project', 'Suport');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: 'There is no project "Suport". Did you mean "Support"?\n',
    });
  });

  test('watch follows a run to its end, and shows its results', async () => {
    const { exitCode, stdout, stderr } = await ask('watch', 'Prompt 1');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Same: answer +20 +0 +90\.0 %$/m);
    expect(stderr).toContain('Completed.\n');
    const lines = (await askHere('watch', runs.first, '--json')).stdout.trim().split('\n');
    const events = lines.map((line) => JSON.parse(line).event);
    expect(events.slice(-2)).toEqual(['completed', 'summary']);
  });

  test('rescore says what it would cost, and scores with --yes alone', async () => {
    const before = (await askJson('runs')).data;
    const { stdout, stderr } = await ask('rescore', runs.first);
    expect(stdout).toMatch(/^METRIC +SCORES +COST$/m);
    expect(stdout).toMatch(/^Same: answer +20 +no judge$/m);
    expect(stderr).toBe('--yes makes 20 scores anew, for about $0.00. The run has no budget.\n');
    expect((await askJson('runs')).data).toEqual(before);
    const named = await askJson('rescore', runs.first, '--metric', 'Same: answer', '--yes');
    expect(named).toMatchObject({
      run: { id: runs.first },
      estimate: { queued: 20, awaited: 0, costUsd: 0, budgetLeftUsd: null },
      started: { queued: 20, awaited: 0 },
    });
    expect((await askHere('watch', runs.first)).exitCode).toBe(0);
    const unknown = await askHere('rescore', runs.first, '--metric', 'Same answer', '--yes');
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('Did you mean "Same: answer"?');
  });

  test('that have expired are listed as such, and watch shows the results that were kept', async () => {
    const options = {
      raw: expiredProjectFile(),
      headers: { 'content-type': 'application/x-ndjson' },
    };
    const { text } = await assay.call('POST', '/projects/import', undefined, options);
    const { projectId } = JSON.parse(text.trim().split('\n').at(-1)!);
    const { stdout } = await askHere('runs', '--project', projectId);
    expect(stdout).toMatch(/ Old +expired +4 +0$/m);
    const watched = await askHere('watch', 'Old', '--project', projectId);
    expect(watched).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(/^Correct +4 +0 +75\.0 %/m),
      stderr: expect.stringContaining(
        'The run expired on 2026-03-01: its records are gone. Its results were:',
      ),
    });
    await create(`/projects/${projectId}/runs`, { metricIds: [], name: 'New' });
    const compared = await askHere('compare', 'Old', 'New', '--project', projectId);
    expect(compared.stderr).toContain('The run expired on 2026-03-01');
  });

  test('watch gives up after --timeout, with exit 2', async () => {
    const open = await create(`/projects/${project}/runs`, { testsetId: testset, metricIds: [] });
    const { exitCode, stderr } = await askHere('watch', open, '--timeout', '1');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('is not completed after 1 s');
    await client.request('DELETE', '/runs/:runId', { params: { runId: open } });
  });

  test('compare says in a sentence what is better or worse, as a table, JSON and Markdown', async () => {
    const { exitCode, stdout } = await ask('compare', 'Prompt 1', 'Prompt 2');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^Same: answer +20 +90\.0 % +15\.0 % +−75\.0 +worse$/m);
    expect(stdout.replaceAll('\n', ' ')).toContain(
      '"Same: answer": Worse: Prompt 2 is 75.0 points lower (95 % interval',
    );
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(await askJson('compare', runs.first, runs.second)).toMatchObject({
      baseline: { id: runs.first, name: 'Prompt 1' },
      metrics: [{ verdict: 'worse' }],
    });
    const markdown = await askHere('compare', runs.first, runs.second, '--format', 'markdown');
    expect(markdown.stdout).toMatch(
      /\| Same&#58; answer \| 20 \| 90&#46;0 &#37; \| 15&#46;0 &#37; \| −75&#46;0 \| .* \| worse \|/,
    );
    const nothing = await askHere('compare', runs.first, runs.second, '--metric', 'latency');
    expect(nothing).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('Undecided: 0 pairs are too few to say anything.'),
    });
  });

  test('runs and watch tell the errors, also of a run whose calls all failed', async () => {
    const crashed = await createRun('Crashed', 0, 20);
    const { stdout: list } = await askHere('runs', '--project', 'Support', '--limit', '2');
    expect(list).toMatch(/^RUN +NAME +STATUS +RECORDS +ERRORS\n.* completed +20\/20 +20\n/);
    expect(list.trimEnd()).toMatch(/ completed +20\/20 +0$/);
    const { stdout, stderr } = await askHere('watch', crashed);
    expect(stdout).toMatch(/^errors +20 +100\.0 %\n$/m);
    expect(stderr).toContain(
      `Completed; the system failed on 20 of 20 records: assay open ${crashed}\n`,
    );
    const { stdout: whole } = await askHere('watch', runs.first);
    expect(whole).toMatch(/^errors +20 +0\.0 %\n$/m);
    await client.request('DELETE', '/runs/:runId', { params: { runId: crashed } });
  });

  test('baseline refuses a run over a part of its testset', async () => {
    const part = await create(`/projects/${project}/runs`, {
      ...{ testsetId: testset, metricIds: [metric], numTestcases: 5 },
    });
    expect(await askHere('baseline', part)).toMatchObject({
      exitCode: 2,
      stderr: 'A baseline needs all of the testset, and the run is on 5 of 20 testcases.\n',
    });
    const { baselineRunId } = await client.request('GET', '/testsets/:testsetId', {
      params: { testsetId: testset },
    });
    expect(baselineRunId).toBe(null);
    await client.request('DELETE', '/runs/:runId', { params: { runId: part } });
  });

  test('compare makes the comparison for each value, too, where --breakdown-by says so', async () => {
    const { stdout } = await askHere('compare', runs.first, runs.second, '--breakdown-by', 'tags');
    expect(stdout).toMatch(/\nVALUE +METRIC +TESTCASES /);
    expect(stdout).toMatch(/\n\(none\) +/);
    expect(stdout).toContain('Broken down by tags. The p-values are corrected for');
    const markdown = await askHere(
      ...['compare', runs.first, runs.second, '--breakdown-by', 'tags', '--format', 'markdown'],
    );
    expect(markdown.stdout).toContain('\n| Value | Metric | Testcases |');
    const refused = await askHere('compare', runs.first, runs.second, '--breakdown-by', '/none');
    expect(refused.stderr).toContain('finds nothing in the inputs or the metadata');
  });

  test('compare leaves errors out of the metrics where --errors says so', async () => {
    const crashed = await createRun('Crashed', 18, 4);
    const compared = async (...args: string[]) => {
      const { metrics, warnings } = await askJson('compare', runs.first, crashed, ...args);
      return [metrics[0].paired, warnings[0].code];
    };
    expect(await compared()).toEqual([20, 'errors_counted']);
    expect(await compared('--errors', 'exclude')).toEqual([16, 'errors_excluded']);
    await client.request('DELETE', '/runs/:runId', { params: { runId: crashed } });
  });

  test('compare names the runs that are like an unknown name, and both of one name', async () => {
    const unknown = await askHere('compare', 'Promt 1', 'Prompt 2');
    expect(unknown).toMatchObject({ exitCode: 2, stdout: '' });
    expect(unknown.stderr).toMatch(/^There is no run "Promt 1"\. Did you mean "Prompt 1" or /);
    const gate = await ask('gate', '--baseline', 'Promt 1', '--candidate', 'Prompt 2');
    expect(gate).toMatchObject({ exitCode: 2, stderr: unknown.stderr });
    const newest = await askHere('compare', 'latest:Prompt 1', 'latest:Prompt 2');
    expect(newest).toMatchObject({ exitCode: 0, stderr: '' });
    const twin = await createRun('Prompt 2', 1);
    const twins = await askHere('compare', 'Prompt 1', 'Prompt 2');
    expect(twins.exitCode).toBe(2);
    expect(twins.stderr).toBe(
      `2 runs are called "Prompt 2": give an id, ${twin} or ${runs.second}, or latest:Prompt 2 for the newest.\n`,
    );
    await client.request('DELETE', '/runs/:runId', { params: { runId: twin } });
  });

  test('gate ends as npm run gate does', async () => {
    const sides = ['--baseline', runs.first, '--candidate', runs.second];
    const { exitCode, stdout } = await ask('gate', ...sides);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('Outcome: worse (exit 1)');
    expect((await ask('gate', '--baseline', runs.first)).exitCode).toBe(2);
    expect((await ask('--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const help = await ask('gate', '--help');
    expect(help.stdout).toContain('Usage: assay gate');
  });

  test('open prints the address in the console of a run, testset, metric or record', async () => {
    const base = `${assay.url}/projects/${project}`;
    const { data } = await client.request('GET', '/runs/:runId/records', {
      params: { runId: runs.first },
      query: { limit: 1 },
    });
    const ids: [string, string][] = [
      [project, ''],
      ['Prompt 1', `/runs/${runs.first}`],
      [testset, `/testsets/${testset}`],
      [metric, `/metrics/${metric}`],
      [data[0]!.id, `/records/${data[0]!.id}`],
    ];
    for (const [id, path] of ids)
      expect((await askHere('open', id)).stdout).toBe(`${base}${path}\n`);
    expect((await ask('open', runs.first)).stdout).toBe(`${base}/runs/${runs.first}\n`);
    const unknown = await askHere('open', '019a9c1e-7d3a-7000-8000-0242ac120001');
    expect(unknown.exitCode).toBe(2);
    expect(unknown.stderr).toContain('Nothing has the id');
  });
});

describe('records', () => {
  test('are found by the outcome of a metric, as a table, NDJSON and CSV', async () => {
    const where = ['--where', 'Same: answer:fail'];
    const { stdout } = await ask('records', 'Prompt 1', ...where);
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toMatch(/^[0-9a-f-]{36} +18\? +=no +Same: answer no$/);
    const rows = (await askHere('records', runs.first, ...where, '--json')).stdout
      .trim()
      .split('\n');
    expect(rows.map((row) => JSON.parse(row).inputs.question)).toEqual(['18?', '19?']);
    const csv = await askHere(
      'records',
      runs.second,
      '--where',
      'Same: answer=false',
      '--format',
      'csv',
    );
    expect(csv.stdout.split('\r\n')).toHaveLength(19);
    expect(csv.stdout).toMatch(/^id,testcaseId,inputs,expected,outputs,Same: answer\r\n/);
    const page = await askHere('records', runs.first, ...where, '--open');
    expect(page.stdout).toMatch(/\/runs\/[0-9a-f-]+\?metricVersionId=[0-9a-f-]+&outcome=fail\n$/);
  });

  test('of a metric that the run does not have: its names', async () => {
    const { exitCode, stderr } = await askHere(
      'records',
      runs.first,
      '--where',
      'Sane answer:fail',
    );
    expect(exitCode).toBe(2);
    expect(stderr).toBe('There is no metric "Sane answer". Did you mean "Same: answer"?\n');
  });

  test('export streams a run or a testset to standard output, or to a file that is whole', async () => {
    const { stdout } = await ask('export', 'Prompt 1');
    expect(stdout.trim().split('\n')).toHaveLength(20);
    const output = join(folder, 'questions.csv');
    const args = ['--format', 'csv', '--output', output];
    expect(await askJson('export', 'Questions', ...args)).toMatchObject({
      kind: 'testset',
      bytes: (await stat(output)).size,
    });
    const wrong = await askHere('export', 'Questions', '--format', 'parquet');
    expect(wrong).toMatchObject({ exitCode: 2, stdout: '' });
  });
});
