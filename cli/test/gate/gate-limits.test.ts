import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import { useGateRuns } from './gate-runs.ts';

const { client, project, metrics, create, createRun, ask, answer, judged } = useGateRuns();

test('records that are missing are exit 2 where they could hide a regression', async () => {
  const baseline = await createRun({ right: 20 });
  const candidate = await createRun({ right: 20, records: 10, isAwaited: false });
  const { exitCode, stdout, stderr } = await answer(['--metric', 'Same'], { baseline, candidate });
  expect([exitCode, stderr], stdout).toEqual([
    2,
    expect.stringMatching(
      /^"Same": the candidate run lacks 10 scores \(10 missing\)\. If they spoke against the candidate: /,
    ),
  ]);
  expect(stdout).toContain(
    '10 records are missing of the candidate run: wait for them with --wait SECONDS.',
  );
  const allowed = await answer(['--metric', 'Same', '--allow-missing', '50%'], {
    baseline,
    candidate,
  });
  expect([allowed.exitCode, allowed.stdout]).toEqual([
    0,
    expect.stringContaining('lacks 10 scores (10 missing), as --allow-missing allows.'),
  ]);
});

test('records that are missing and cannot turn the result are told, and pass', async () => {
  const candidate = await createRun({ right: 20, records: 19, isAwaited: false });
  const { exitCode, stdout } = await answer(['--metric', 'Same'], { candidate });
  expect([exitCode, stdout]).toEqual([
    0,
    expect.stringContaining(
      '"Same": the candidate run lacks 1 score (1 missing). They cannot turn the result.',
    ),
  ]);
});

test('scores that failed are exit 2 where they could hide a regression', async () => {
  const metricIds = [metrics.same];
  const baseline = await createRun({ metricIds, right: 20 });
  // Two fields are more than one of them can be compared with.
  const candidate = await createRun({ metricIds, right: 12, outputs: { other: 1, two: 2 } });
  const { exitCode, stderr } = await answer([], { baseline, candidate });
  expect([exitCode, stderr]).toEqual([
    2,
    expect.stringMatching(
      /^"Same": the candidate run lacks 8 scores \(8 failed\)\. If they spoke against the candidate: Worse/,
    ),
  ]);
  const turned = await answer([], { baseline: candidate, candidate: baseline });
  expect([turned.exitCode, turned.stdout]).toEqual([
    0,
    expect.stringContaining('the baseline run lacks 8 scores (8 failed). They cannot turn'),
  ]);
});

describe('a candidate that crashes', () => {
  const crashed = (right: number) => createRun({ right, isCrashing: true });

  test('on 18 of 20 testcases is worse, although it answers the other two rightly', async () => {
    const candidate = await crashed(2);
    const { exitCode, stderr, stdout } = await answer(['--metric', 'Same'], { candidate });
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/^"Same": Worse: /)]);
    expect(stdout).toMatch(/^"errors": Worse: the candidate is 90\.0 points higher/m);
  });

  test('is held to --max-errors, and to --min-pass-rate over all testcases', async () => {
    const candidate = await crashed(18);
    const baseline = await createRun({ right: 18 });
    const limited = async (...args: string[]) =>
      (await answer(['--metric', 'Same', ...args], { baseline, candidate })).exitCode;
    expect(await limited()).toBe(0);
    expect(await limited('--max-errors', '2')).toBe(0);
    expect(await limited('--max-errors', '5%')).toBe(1);
    expect(await limited('--min-pass-rate', '0.9')).toBe(0);
    expect(await limited('--min-pass-rate', '0.95')).toBe(1);
  });

  test('has no errors in its metrics where --errors leaves them out', async () => {
    const args = ['--metric', 'Same', '--errors', 'exclude', '--format', 'json'];
    const { stdout } = await answer(args, { candidate: await crashed(2) });
    const { metrics, errors } = JSON.parse(stdout);
    expect([metrics[0].paired, errors.verdict]).toEqual([2, 'worse']);
  });
});

describe('a first run', () => {
  const first = (...args: string[]) => answer(args, { baseline: 'branch:nowhere' });

  test('passes where no other run has the label, and says so', async () => {
    const { exitCode, stderr, stdout } = await first();
    expect([exitCode, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^A first run: No other run with the label "branch:nowhere" is completed/,
      ),
    ]);
    expect(stdout).toContain('"Same": 65.0 % of 20 testcases.');
    expect(JSON.parse((await first('--format', 'json')).stdout)).toMatchObject({
      isFirstRun: true,
      baselineRunId: null,
      metrics: [{ name: 'Same', outcome: 'passed' }, { name: 'Close' }],
    });
  });

  test('in which every call failed tells nothing, whatever it is compared with', async () => {
    const candidate = await createRun({ right: 0, isCrashing: true });
    const baseline = await createRun({ right: 0, isCrashing: true });
    for (const wanted of ['branch:nowhere', baseline]) {
      const { exitCode, stderr } = await answer(['--metric', 'Same'], {
        baseline: wanted,
        candidate,
      });
      expect([exitCode, stderr]).toEqual([2, '"errors": Every call of the system failed.\n']);
    }
    const limited = await answer(['--max-errors', '5%'], { baseline: 'branch:nowhere', candidate });
    expect(limited.exitCode).toBe(1);
  });

  test('tells the errors of its system in every format', async () => {
    const candidate = await createRun({ right: 12, isCrashing: true });
    const told = async (...args: string[]) =>
      await answer(args, { baseline: 'branch:nowhere', candidate });
    const errors = '40.0 % of 20 testcases: the system failed on 8 of 20 records.';
    const { exitCode, stdout, stderr } = await told();
    expect(exitCode).toBe(0);
    expect(stdout).toContain(`"errors": ${errors}\n`);
    expect(stderr).toMatch(/\. But the system failed on 8 of 20 records\.\n$/);
    expect((await told('--format', 'junit')).stdout).toContain(
      `name="errors" time="0">\n      <system-out>${errors}<`,
    );
    expect((await told('--format', 'markdown')).stdout).toMatch(/&#34;errors&#34;&#58; 40/);
    expect(JSON.parse((await told('--format', 'json')).stdout).errors).toMatchObject({
      candidateErrors: 8,
      candidateRecords: 20,
      outcome: 'passed',
    });
    const whole = await first();
    expect(whole.stdout).toContain('"errors": 0.0 % of 20 testcases.\n');
    expect(whole.stderr).not.toContain('failed');
  });

  test('fails under its limits', async () => {
    expect(await first('--metric', 'Same', '--min-pass-rate', '0.7')).toMatchObject({
      exitCode: 1,
      stderr: `"Same": the candidate's pass rate, 65 %, is below the 70 % of --min-pass-rate.\n`,
    });
    expect(await first('--metric', 'Same', '--min-pass-rate', '0.6')).toMatchObject({
      exitCode: 0,
    });
  });
});

test('a run of people that nobody named is not waited for, and decides nothing', async () => {
  const people = await create(`/projects/${project()}/metrics`, {
    name: 'By people',
    evalType: 'human',
    outputType: 'boolean',
  });
  const plan = { metricIds: [metrics.same, people], right: 12, isAwaited: false };
  const [baseline, candidate] = [await createRun(plan), await createRun(plan)];
  await poll('the evaluator has scored both', async () => {
    const { items } = await client().request('POST', '/run-summaries', {
      body: { runIds: [baseline, candidate] },
    });
    return items.every(({ metrics: [same] }) => same!.records === 20);
  });
  expect(await judged({ baseline, candidate, wait: 30 })).toMatchObject({ exitCode: 0 });
  expect(await judged({ baseline, candidate, metrics: ['By people'] })).toMatchObject({
    exitCode: 2,
    reason: expect.stringContaining('no testcase has a score in both runs'),
  });
});

test('of a boolean of which less is better, false passes: compared, and of a first run', async () => {
  const hall = await create(`/projects/${project()}/metrics`, {
    ...{ name: 'Hall', evalType: 'heuristic', outputType: 'boolean', lowerIsBetter: true },
    builtin: { name: 'exact_match', options: {} },
  });
  const metricIds = [hall];
  const baseline = await createRun({ metricIds, right: 20 });
  const candidate = await createRun({ metricIds, right: 0 });
  const improved = await answer([], { baseline, candidate });
  expect(improved.exitCode).toBe(0);
  expect(improved.stdout).toMatch(/^ {2}before {4}fail: \d+!\n {2}after {5}pass: no$/m);
  const crashed = await createRun({ metricIds, right: 0, isCrashing: true });
  const regressed = await answer([], { baseline: candidate, candidate: crashed });
  expect(regressed.exitCode).toBe(1);
  expect(regressed.stdout).toMatch(
    /^ {2}before {4}pass: no\n {2}after {5}fail: the system failed: RuntimeError: down$/m,
  );
  const first = await answer([], { baseline: 'branch:nowhere', candidate });
  expect(first.stdout).toContain('"Hall": 100.0 % of 20 testcases pass.\n');
});

test('versions of different scales cannot be compared, which one sentence says', async () => {
  const metric = await create(`/projects/${project()}/metrics`, {
    ...{ name: 'BLEU', evalType: 'heuristic', outputType: 'float', max: 100 },
  });
  const plan = { metricIds: [metrics.same, metric], right: 12, isAwaited: false };
  const baseline = await createRun(plan);
  await client().request('PATCH', '/metrics/:metricId', {
    params: { metricId: metric },
    body: { evalType: 'heuristic', outputType: 'float', max: 50 },
  });
  const candidate = await createRun(plan);
  const sentence =
    'The runs share the metric "BLEU", whose versions cannot be compared: they have max 100 in the baseline and 50 in the candidate. Rescore the runs by one version, or compare other metrics.';
  for (const named of [[], ['--metric', 'BLEU']])
    expect(await answer(named, { baseline, candidate })).toMatchObject({
      exitCode: 2,
      stderr: `${sentence}\n`,
    });
});

test('--min-passes needs --min-pass-rate', async () => {
  expect(await ask(['--min-passes', '2'])).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('--min-passes says what passes for --min-pass-rate'),
  });
});
