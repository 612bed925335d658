import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@assay/local/port';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runGate } from './command.ts';
import { type RunPlan, useGateRuns } from './gate-runs.ts';
import { answerInProcess } from './in-process.ts';
import { createTestset } from './testset.ts';

const { assay, client, project, capitals, metrics, runs, createRun, ask, answer, judged } =
  useGateRuns();

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-gate-'));
});
afterAll(() => rm(folder, { recursive: true }));

test('a candidate that is undecided passes: exit 0, with the table', async () => {
  const { exitCode, stdout, stderr } = await ask([]);
  expect(stderr).toBe('Not worse: 0 of 2 metrics better, 2 undecided.\n');
  expect(stdout).toMatch(/^Same +20 +60\.0 % +65\.0 % +\+5\.0 +undecided$/m);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Outcome: passed (exit 0)');
  expect(exitCode).toBe(0);
});

test('a candidate that is better passes', async () => {
  const { exitCode, reason } = await judged({ metrics: ['Same'], baseline: runs.worse });
  expect({ exitCode, reason }).toEqual({
    exitCode: 0,
    reason: 'Not worse: 1 of 1 metric better, 0 undecided.',
  });
});

test('a candidate that is worse does not: exit 1, and why', async () => {
  const { exitCode, stdout, stderr } = await ask(['--metric', metrics.same, '--metric', 'Close'], {
    candidate: runs.worse,
  });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^"Same": Worse: the candidate is 50\.0 points lower \(95 % interval \d+\.\d to \d+\.\d lower; adjusted p 0\.00\d+; 20 pairs\)\. \(And 1 more metric\.\)\n$/,
  );
  expect(stdout).toContain('Outcome: worse (exit 1)');
});

test('a candidate under a limit does not pass', async () => {
  const low = await judged({ metrics: ['Same'], limits: { minPassRate: 0.7 } });
  expect(low).toEqual({
    exitCode: 1,
    reason: `"Same": the candidate's pass rate, 65 %, is below the 70 % of --min-pass-rate.`,
  });
  const fallen = { metrics: ['Same'], baseline: runs.candidate, candidate: runs.baseline };
  expect(await judged({ ...fallen, limits: { maxRegression: 0.04 } })).toEqual({
    exitCode: 1,
    reason: '"Same": the candidate is 0.05 lower, and --max-regression allows 0.04.',
  });
  expect((await judged({ ...fallen, limits: { maxRegression: 0.05 } })).exitCode).toBe(0);
});

test('testcases that were changed between the runs are told beside the verdict', async () => {
  const testcases = capitals().testcases.map((testcase) => ({ ...testcase, inputs: {} }));
  const candidate = await createRun({ testset: { ...capitals(), testcases }, right: 13 });
  expect((await answer([], { candidate })).stdout).toContain(
    '20 of 20 testcases were changed between the runs (their inputs): a difference may be theirs.',
  );
});

test('with --anytime the verdict is one that holds at any look, which asks for more', async () => {
  const args = ['--metric', metrics.same, '--format', 'json'];
  expect((await answer(args, { candidate: runs.worse })).exitCode).toBe(1);
  const { exitCode, stdout } = await answer([...args, '--anytime'], { candidate: runs.worse });
  const report = JSON.parse(stdout);
  // 10 of 20 regressed and none improved: 1 / (2**10 * beta(16, 6) / beta(6, 6)), scipy.special
  expect(report).toMatchObject({
    anytime: true,
    metrics: [{ verdict: 'undecided', pValue: expect.closeTo(0.11470170454545456, 9) }],
  });
  expect(report.metrics[0].confidenceInterval).toEqual(report.metrics[0].anytimeInterval);
  expect(exitCode).toBe(0);
});

test('pairs of one group are drawn together', async () => {
  expect((await judged({ candidate: runs.worse, groupBy: '/inputs/question' })).exitCode).toBe(1);
  const nothing = await judged({ groupBy: '/inputs/topic' });
  expect(nothing).toMatchObject({ exitCode: 2, reason: expect.stringContaining('/groupBy') });
});

test('a report in a file is what CI reads, and the table goes to standard output', async () => {
  const [xml, json] = [join(folder, 'report.xml'), join(folder, 'report.json')];
  const { stdout } = await ask(['--format', 'junit', '--output', xml]);
  expect(stdout).toContain('Outcome: passed (exit 0)');
  expect(await readFile(xml, 'utf8')).toMatch(
    /<testsuite name="assay\.gate" tests="3" failures="0" errors="0" skipped="0"/,
  );
  await ask(['--format', 'json', '--output', json]);
  const report = JSON.parse(await readFile(json, 'utf8'));
  expect(report).toMatchObject({
    outcome: 'passed',
    exitCode: 0,
    baselineRunId: runs.baseline,
    candidateRunId: runs.candidate,
  });
  expect(report.metrics[0]).toMatchObject({
    paired: 20,
    candidatePassRate: expect.any(Number),
    pValue: expect.any(Number),
  });
  const nowhere = await ask(['--output', join(folder, 'none', 'report.xml')]);
  expect(nowhere).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('the report cannot be written to'),
  });
});

test('what keeps it from telling is exit 2 and a sentence', async () => {
  const missing = '00000000-0000-7000-8000-000000000000';
  const { exitCode, stdout, stderr } = await ask([], { candidate: missing });
  expect({ exitCode, stdout }).toEqual({
    exitCode: 2,
    stdout: expect.stringContaining('Outcome: could not tell (exit 2)'),
  });
  expect(stderr).toMatch(
    new RegExp(`^There is no run ${missing}: it was deleted, or is of another organization\\.\\n$`),
  );
  const locked = await ask([], { environment: { ASSAY_API_KEY: 'ak_wrong' } });
  expect(locked).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('The key is not accepted: 401'),
  });
  expect(await judged({ candidate: runs.baseline })).toEqual({
    exitCode: 2,
    reason: 'Baseline and candidate are the same run.',
  });
  expect(await judged({ metrics: ['Sam'] })).toEqual({
    exitCode: 2,
    reason: 'There is no metric "Sam". Did you mean "Same"?',
  });
});

test('nothing at the address, or something else, is exit 2 and told', async () => {
  const nobody = await ask([], {
    environment: { ASSAY_URL: `http://127.0.0.1:${await freePort()}` },
  });
  expect(nobody).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^Assay is not reached at .*ECONNREFUSED/),
  });
  const server = createServer((_request, response) =>
    response.writeHead(404).end('<h1>\u001b[2JNot Found</h1>'),
  ).listen(0, '127.0.0.1');
  await poll('the other server listens', () => server.listening);
  const other = await ask([], {
    environment: { ASSAY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
  });
  server.close();
  expect(other).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^What answers at .* is not Assay: 404 <h1>\ufffd\[2JNot Found<\/h1>\n$/,
    ),
  });
});

test('runs of different testsets, and too few pairs, are exit 2', async () => {
  const single = await createTestset(client(), project(), 1);
  const [one, other] = [
    await createRun({ testset: single, right: 1 }),
    await createRun({ testset: single, right: 0 }),
  ];
  const strangers = await judged({ candidate: one });
  expect(strangers).toMatchObject({
    exitCode: 2,
    reason: "The candidate is a run of another testset than the baseline's.",
  });
  const pair = await judged({ baseline: one, candidate: other });
  expect(pair).toMatchObject({
    exitCode: 2,
    reason: expect.stringContaining(
      'only one testcase has a score in both runs, and a comparison needs two.',
    ),
  });
});

test('scores that are pending are exit 2, and can be waited for', async () => {
  const plan: RunPlan = { metricIds: [metrics.judged], right: 20, isAwaited: false };
  const [before, after] = [await createRun(plan), await createRun(plan)];
  const early = await judged({ baseline: before, candidate: after });
  expect(early).toMatchObject({
    exitCode: 2,
    reason: '"Judged": no testcase has a score in both runs, and a comparison needs two.',
  });
  const waiting = judged({ baseline: before, candidate: after, wait: 60 });
  for (const run of [before, after]) {
    const { metricVersionIds } = await client().request('GET', '/runs/:runId', {
      params: { runId: run },
    });
    for await (const { id } of client().list('/runs/:runId/records', { params: { runId: run } }))
      await client().request('PUT', '/records/:recordId/scores/:metricConfigId', {
        params: { recordId: id, metricConfigId: metricVersionIds[0]! },
        body: {
          score: { binaryScore: true },
        },
      });
  }
  expect(await waiting).toMatchObject({ exitCode: 0 });
});

test('a run that cannot be compared ends the wait for the other', async () => {
  const pending = await createRun({
    metricIds: [metrics.judged],
    right: 20,
    records: 1,
    isAwaited: false,
  });
  const { exitCode, stderr } = await ask(['--wait', '3600'], {
    baseline: pending,
    candidate: 'nothing',
  });
  expect({ exitCode, stderr }).toEqual({
    exitCode: 2,
    stderr: expect.stringMatching(/^There is no run "nothing"\. /),
  });
});

test('an undecided run that is too small is told how many testcases it would take', async () => {
  const limited = await answer(['--metric', 'Same', '--max-regression', '0.05']);
  expect(limited.stdout).toMatch(
    /^"Same": a regression of 5\.0 points would be found in 80\.0 % of comparisons of about \d+ testcases with a record each; these have 20\.$/m,
  );
  const seen = await answer(['--metric', 'Same']);
  expect(seen.stdout).toMatch(/^"Same": a difference as large as the one seen, 5\.0 points/m);
  const decided = await answer(['--metric', 'Same'], { candidate: runs.worse });
  expect(decided.stdout).not.toContain('would be found');
});

describe('a plan', () => {
  const ask = (...args: string[]) =>
    runGate(['--plan', ...args], { ASSAY_URL: assay().url, ASSAY_API_KEY: assay().key });
  /** The same without a process. */
  const plan = (...args: string[]) => answerInProcess(['--plan', ...args], assay());

  test('from two runs has a table, what the testset can see, and what is assumed', async () => {
    const { exitCode, stdout, stderr } = await ask(
      ...['--metric', 'Same', '--difference', '0.05'],
      ...['--baseline', runs.baseline, '--candidate', runs.candidate],
    );
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: 'Planned.\n' });
    expect(stdout).toMatch(/^Same +5\.0 points +80\.0 % +\d+ × 1 +– +\$0\.00$/m);
    expect(stdout).toMatch(
      /^To find a difference of 5\.0 points in 80\.0 % of comparisons, each of the two runs needs \d+ testcases with a record each\.$/m,
    );
    expect(stdout).toMatch(
      /^The testset has 20 testcases: with a record each they find 5\.0 points/m,
    );
    expect(stdout).toMatch(/^Assumed: The results of 5\.0 % of the 20 testcases/m);
  });

  test('from figures, as JSON', async () => {
    const { exitCode, stdout } = await plan(
      ...['--metric', metrics.close, '--difference', '0.1', '--standard-deviation', '0.3'],
      ...['--testset', capitals().id, '--format', 'json'],
    );
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      exitCode: 0,
      difference: 0.1,
      power: 0.8,
      level: 0.95,
      plan: { testcases: 73, repeats: 1, withThisTestset: { testcases: 20 } },
    });
  });

  test('that cannot be made is exit 2 and a sentence', async () => {
    const without = await ask('--metric', metrics.same, '--difference', '0.1');
    expect(without).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('is required, or baselineMean and changeRate'),
    });
    const unknown = await plan(
      '--metric',
      'Sam',
      '--difference',
      '0.1',
      '--baseline',
      runs.baseline,
    );
    expect(unknown).toMatchObject({
      exitCode: 2,
      stderr: 'There is no metric "Sam". Did you mean "Same"?\n',
    });
    const endless = await plan(
      ...['--metric', metrics.close, '--difference', '0.00001', '--standard-deviation', '0.3'],
    );
    expect(endless).toMatchObject({
      exitCode: 2,
      stdout: expect.stringContaining('There is no plan. It would take more than'),
    });
  });
});
