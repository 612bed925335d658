import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@assay/client/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../../test/system/installation.ts';
import { awaitCompletion, sendRecords } from '../command.ts';
import { runGate } from './command.ts';
import { answerInProcess } from './in-process.ts';
import { createTestset, type Testset } from './testset.ts';

let assay: SharedInstallation;
let client: Client;
let folder: string;
let project: string;
let metric: string;
let testset: Testset;
let other: Testset;
const runs = { main: '', mainAgain: '', branch: '', production: '' };
const system = { id: '', production: '', next: '' };

const create = async (path: string, body: unknown) =>
  (await client.request('POST', path as '/projects', { body: body as never })).id;

interface RunPlan {
  errors?: number;
  numTestcases?: number;
  on?: Testset;
  right?: number;
  branch?: string;
  name?: string;
  systemVersionId?: string;
}

async function createRun(plan: RunPlan) {
  const { on = testset, right = 6, branch, name, systemVersionId, errors = 0, numTestcases } = plan;
  const id = await create(`/projects/${project}/runs`, {
    testsetId: on.id,
    metricIds: [metric],
    name,
    systemVersionId,
    ...(numTestcases === undefined ? {} : { numTestcases }),
    labels: branch === undefined ? {} : { branch, commit: '4f7c2aa0123456789' },
  });
  const lines = on.testcases
    .slice(0, numTestcases)
    .map(({ id: testcaseId, inputs, expected }, index) => {
      const answer =
        index < errors
          ? { error: { name: 'Down', message: 'down' } }
          : { outputs: index < right ? expected : { answer: '::error::no' } };
      return JSON.stringify({ testcaseId, inputs, expected, ...answer });
    });
  await sendRecords(client, id, lines);
  await awaitCompletion(client, id);
  return id;
}

const ask = (args: string[], environment: Record<string, string> = {}) =>
  runGate(args, { ASSAY_URL: assay.url, ASSAY_API_KEY: assay.key, ...environment });

/** The same without a process. */
const answer = (args: string[]) => answerInProcess(args, assay);

/** The id of the run that a name means as the baseline of the run of the branch. */
async function baselineOf(wanted: string, candidate = runs.branch): Promise<string> {
  const { stdout, stderr } = await answer([
    ...['--baseline', wanted, '--candidate', candidate, '--format', 'json'],
  ]);
  const { runs: named, reason } = JSON.parse(stdout);
  return named?.baseline?.id ?? reason ?? stderr;
}

beforeAll(async () => {
  assay = await shareInstallation();
  client = createClient({ url: `${assay.url}/v2`, key: assay.key });
  folder = await mkdtemp(join(tmpdir(), 'assay-baselines-'));
  await create('/projects', { name: 'Another', description: '' });
  project = await create('/projects', { name: 'Gate', description: '' });
  testset = await createTestset(client, project, 6);
  other = await createTestset(client, project, 2);
  metric = await create(`/projects/${project}/metrics`, {
    name: 'Same',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: {} },
  });
  const made = await client.request('POST', '/projects/:projectId/systems', {
    params: { projectId: project },
    body: { name: 'Bot', config: { v: 1 } },
  });
  Object.assign(system, { id: made.id, production: made.productionVersion.id });
  system.next = await create(`/systems/${made.id}/versions`, { config: { v: 2 }, name: 'Next' });
  runs.production = await createRun({ systemVersionId: system.production });
  runs.main = await createRun({ branch: 'main', name: 'Prompt' });
  runs.mainAgain = await createRun({ branch: 'main', name: 'Prompt' });
  await createRun({ branch: 'main', name: 'Prompt', on: other });
  await create(`/projects/${project}/runs`, {
    testsetId: testset.id,
    metricIds: [metric],
    name: 'Prompt',
    labels: { branch: 'main' },
  });
  runs.branch = await createRun({
    branch: 'feature',
    name: 'Feature',
    right: 2,
    systemVersionId: system.next,
  });
});
afterAll(() => rm(folder, { recursive: true }));

test('branch: and latest: mean the newest completed run on the testset, and never the candidate', async () => {
  expect(await baselineOf('branch:main')).toBe(runs.mainAgain);
  expect(await baselineOf('latest:Prompt')).toBe(runs.mainAgain);
  expect(await baselineOf('branch:main', runs.mainAgain)).toBe(runs.main);
  expect(await baselineOf('branch:nothing')).toMatch(
    /^A first run: No other run with the label "branch:nothing" is completed on the testset "/,
  );
  expect(await baselineOf('branch:mian')).toMatch(/^No other run .* Did you mean "branch:main"\?$/);
  expect(await baselineOf('latest:Promp')).toMatch(
    /^No other run that is called "Promp" is .* Did you mean "latest:Prompt"/,
  );
  // An unset variable, as in "branch:$BRANCH".
  for (const form of ['branch:', 'latest:'])
    expect(await baselineOf(form)).toBe(
      `"${form}" has no name: is the variable set that it comes from?`,
    );
});

test('production is the newest run of the production version, baseline the one of the testset', async () => {
  expect(await baselineOf('production')).toBe(runs.production);
  expect(await baselineOf('baseline')).toMatch(/^A first run: The testset ".*" has no baseline: /);
  await client.request('PUT', '/testsets/:testsetId/baseline', {
    params: { testsetId: testset.id },
    body: { runId: runs.main },
  });
  expect(await baselineOf('baseline')).toBe(runs.main);
  expect(await baselineOf('baseline', runs.main)).toBe('Baseline and candidate are the same run.');
});

test('a name is a run where it is the only one, and names can be told of the candidate too', async () => {
  expect(await baselineOf(runs.main, 'Feature')).toBe(runs.main);
  expect(await baselineOf(runs.main, 'branch:feature')).toBe(runs.main);
  expect(await baselineOf('Prompt')).toMatch(
    /^4 runs are called "Prompt": give an id, .* or latest:Prompt for the newest\.$/,
  );
  expect(await baselineOf('Promt')).toMatch(/^There is no run "Promt"\. Did you mean "Prompt"\?$/);
  expect(await baselineOf('main')).toMatch(
    /^There is no run "main"\. Did you mean "branch:main"\?$/,
  );
  expect(await baselineOf('Zzz')).toMatch(/^A first run: There is no run "Zzz"\. There are "/);
  // A slip in a word is no first run.
  for (const [slip, meant] of Object.entries({
    prodution: 'production',
    Production: 'production',
    baselin: 'baseline',
    'Branch:Zzz': 'branch:Zzz',
    'brnach:Zzz': 'branch:Zzz',
    latest: 'latest:NAME',
  })) {
    const slipped = await answer(['--baseline', slip, '--candidate', 'Feature']);
    expect(slipped).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`There is no run "${slip}". Did you mean "${meant}"`),
    });
  }
  const elsewhere = await answer([
    ...['--baseline', 'branch:main', '--candidate', 'Feature', '--project', 'Another'],
  ]);
  expect(elsewhere).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^There is no run "Feature"\. /),
  });
});

test('runs that cannot be compared are passed over, which is told; one that is named is taken with a warning', async () => {
  const branch = 'release';
  const good = await createRun({ branch });
  const failing = await createRun({ branch, name: 'Outage', errors: 5 });
  const small = await createRun({ branch, numTestcases: 2 });
  const reported = async (baseline: string, format = 'json') =>
    (await answer(['--baseline', baseline, '--candidate', runs.branch!, '--format', format]))
      .stdout;
  const { runs: named, warnings } = JSON.parse(await reported('branch:release'));
  expect(named.baseline.id).toBe(good);
  expect(warnings.slice(0, 2)).toEqual([
    `Passed over run ${small}: it has records of 2 of the 6 testcases that are compared.`,
    'Passed over run "Outage": 5 of its 6 records are errors.',
  ]);
  expect(JSON.parse(await reported(failing)).warnings[0]).toBe(
    'Run "Outage" was chosen by hand or by its name. A search would pass it over: 5 of its 6 records are errors.',
  );
  const outage = await answer(['--baseline', good, '--candidate', failing]);
  expect(outage.stdout).toMatch(/^ {2}after {5}fail: the system failed: Down: down$/m);
  const table = await reported(small, 'table');
  expect(table).toMatch(/^ {11}.* UTC, on 2 of 6 testcases, branch release/m);
  expect(JSON.parse(await reported(small)).runs.baseline.part).toBe('on 2 of 6 testcases');
});

test('a project that is not there is refused, although ids name both runs', async () => {
  const ids = ['--baseline', runs.main!, '--candidate', runs.mainAgain!];
  expect(await answer([...ids, '--project', 'Nowhere'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^There is no project "Nowhere"\. /),
  });
});

test('the report has names, dates and versions, the changes with their texts, and the console', async () => {
  const args = ['--baseline', 'branch:main', '--candidate', 'Feature'];
  const { stdout } = await ask(args);
  expect(stdout).toMatch(
    /^Candidate {2}Feature \(\S+\)\n {11}\d{4}-\d\d-\d\d \d\d:\d\d UTC, Bot · Next, branch feature, commit 4f7c2aa01234$/m,
  );
  expect(stdout).toContain('"Same", regressed:\n- ');
  expect(stdout).toMatch(/^ {2}before {4}pass: .+\n {2}after {5}fail: ::error::no$/m);
  expect(stdout).toContain(`${assay.url}/projects/${project}/compare?baseline=${runs.mainAgain}`);
  const { flips } = JSON.parse((await answer([...args, '--format', 'json'])).stdout);
  expect(flips).toEqual([
    expect.objectContaining({
      name: 'Same',
      regressed: 4,
      improved: 0,
      flips: Array(4).fill(expect.objectContaining({ candidateOutputs: '::error::no' })),
    }),
  ]);
});

test('a pass rate may be given in percent', async () => {
  const args = ['--baseline', 'branch:main', '--candidate', 'Feature', '--min-pass-rate', '90%'];
  expect((await answer([...args, '--format', 'json'])).stdout).toContain(
    "the candidate's pass rate, 33.3333 %, is below the 90 % of --min-pass-rate.",
  );
});

test('with --github the page of the job gets the report, and the job annotations', async () => {
  const page = join(folder, 'page.md');
  const { exitCode, stdout } = await ask(
    ['--baseline', 'branch:main', '--candidate', 'Feature', '--max-regression', '0.1', '--github'],
    { GITHUB_STEP_SUMMARY: page },
  );
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/^::error title=Assay%3A Same is worse::the candidate /);
  expect(stdout.split('\n').filter((line) => /^\s*::|##\[/.test(line))).toHaveLength(1);
  const text = await readFile(page, 'utf8');
  expect(text).toMatch(/^### Worse: the candidate does not pass/);
  expect(text).toContain('fail <code>&#58;&#58;error&#58;&#58;no</code>');
});
