import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  both,
  createProjectIn,
  failingInOne,
  numTestcases,
  recordsOf,
  resultOf,
  runInOne,
  script,
  upper,
} from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';

/** Evaluations over a part of a testset, and which run they are compared with, in both languages. */
const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

let assay: SharedInstallation;
let clients: Clients;

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages });
});
afterAll(async () => {
  await clients[Symbol.asyncDispose]();
});

/** A project whose first six testcases are in German, with keys. */
async function createProject(name: string) {
  const project = await createProjectIn(assay, name);
  const testcases = `/testsets/${project.testset.id}/testcases?limit=6`;
  const { data } = (await assay.call('GET', testcases)).body;
  for (const [index, { id, jsonData }] of data.entries())
    await assay.call('PUT', `/testcases/${id}`, {
      jsonData: { ...jsonData, lang: 'de' },
      key: `k${index}`,
    });
  return project;
}

async function newest(project: Awaited<ReturnType<typeof createProject>>) {
  const [run] = await project.runs();
  return (await assay.call('GET', `/runs/${run!.id}`)).body;
}

describe.each(languages)('evaluate in %s', (language) => {
  const evaluate = (name: string, more = {}, system = upper, environment = {}) =>
    clients.run(language, script(language, name, { more, system }), environment);

  test('over a sample makes runs that complete, and that compare pair by pair', async () => {
    const name = `${language} sample`;
    const project = await createProject(name);
    const sample = (version: number) =>
      both(
        `sample: 7, seed: 3, config: { v: ${version} },`,
        `sample=7, seed=3, config={"v": ${version}},`,
      );
    const first = await evaluate(name, sample(1));
    expect([first.code, resultOf(first)], first.stderr).toEqual([0, '["passed",0,7,0]']);
    expect(first.stdout).toContain(`The run is on 7 of ${numTestcases} testcases.`);
    expect(await newest(project)).toMatchObject({
      status: 'completed',
      numTestcases: 7,
      numExpectedRecords: 7,
    });
    const second = await evaluate(name, sample(2));
    expect([second.code, resultOf(second)], second.stderr).toEqual([0, '["passed",0,7,0]']);
    expect(second.stdout).toMatch(/^Same +7 +100\.0 % +100\.0 % /m);
    // A whole run is not compared with so little.
    const whole = await evaluate(name, both('config: { v: 3 },', 'config={"v": 3},'));
    expect(resultOf(whole)).toBe('["unknown",2,24,0]');
    expect(whole.stdout).toContain('There is nothing to compare with');
    expect(whole.stdout).toContain('has records of 7 of the 24 testcases that are compared.');
  });

  test('over the testcases with some data, or with some keys, calls the system on these alone', async () => {
    const name = `${language} where`;
    const project = await createProject(name);
    const german = await evaluate(
      name,
      both("where: { '/lang': 'de' },", 'where={"/lang": "de"},'),
    );
    expect([german.code, resultOf(german)], german.stderr).toEqual([0, '["passed",0,6,0]']);
    expect(german.stdout).toContain('The run is on 6 of 24 testcases, lang = de.');
    const where = { '/lang': 'de' };
    expect(await newest(project)).toMatchObject({ status: 'completed', where, numTestcases: 6 });
    const two = await evaluate(
      name,
      both(
        "where: { '/lang': 'de' }, keys: ['k1', 'k4'],",
        'where={"/lang": "de"}, keys=["k1", "k4"],',
      ),
    );
    expect(resultOf(two)).toBe('["passed",0,2,0]');
    expect(await newest(project)).toMatchObject({ status: 'completed', keys: ['k1', 'k4'] });
    const wrong = [
      both("keys: ['k1', 'k9'],", 'keys=["k1", "k9"],'),
      both("where: { '/lang': 'xx' },", 'where={"/lang": "xx"},'),
    ].map((more) => script(language, name, { more }));
    const { stderr } = await clients.run(language, failingInOne(language, wrong));
    expect(stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^2 .*The testset "Questions" has no testcase with the key "k9"\./),
      expect.stringMatching(
        /^2 .*No testcase of the testset "Questions" meets `where`: \{"\/lang":"xx"\}\./,
      ),
    ]);
    expect(await project.runs()).toHaveLength(2);
  });

  test('passes over a run that failed, says so, and warns of a baseline that was set by hand', async () => {
    const name = `${language} passed over`;
    const project = await createProject(name);
    const failing = both("throw new Error('down');", 'raise RuntimeError("down")');
    const more = (version: number, own = both('', '')) =>
      both(
        `limit: 12, config: { v: 1 }, name: 'Run ${version}', ${own.TypeScript}`,
        `limit=12, config={"v": 1}, name="Run ${version}", ${own.Python}`,
      );
    const scored = both('scores: { own: () => true }, ', 'scores={"own": lambda outputs: True}, ');
    const [, down, third] = await runInOne(clients, language, [
      script(language, name, { more: more(1) }),
      script(language, name, { more: more(2, scored), system: failing }),
      script(language, name, { more: more(3) }),
    ]);
    expect([down!.code, resultOf(down!)], down!.stderr).toEqual([0, '["worse",1,12,12]']);
    expect(down!.stdout).toContain('Every call of the system failed.');
    expect(down!.stdout).not.toContain('were not kept');
    expect(third!.stdout).toContain('Passed over run "Run 2": 12 of its 12 records are errors.');
    expect(third!.stdout).toContain('Compared with run "Run 1", the newest completed run');
    const bad = (await project.runs())[1]!.id;
    await assay.call('PUT', `/testsets/${project.testset.id}/baseline`, { runId: bad });
    const fourth = await evaluate(name, more(4));
    expect(fourth.stdout).toContain('Compared with run "Run 2", the baseline of the testset.');
    expect(fourth.stdout).toContain(
      'A search would pass it over: 12 of its 12 records are errors.',
    );
  });

  test('runs the testcases whose records are errors again, and replaces these', async () => {
    const name = `${language} retry`;
    const project = await createProject(name);
    const flaky = both(
      `if (inputs.question.endsWith('1') && !process.env.ASSAY_RESUME) throw new Error('down'); ${upper.TypeScript}`,
      `import os
    if inputs["question"].endswith("1") and not os.environ.get("ASSAY_RESUME"): raise RuntimeError("down")
    ${upper.Python}`,
    );
    const first = await evaluate(name, {}, flaky);
    expect(resultOf(first), first.stderr).toBe('["passed",0,24,3]');
    const run = await newest(project);
    expect(run.scoring).toMatchObject({ expected: 24, scored: 21, errored: 3 });
    const resume = { ASSAY_RESUME: run.id };
    const untouched = await evaluate(name, {}, flaky, resume);
    expect(resultOf(untouched), untouched.stderr).toBe('["passed",0,0,0]');
    const retry = both('retryErrors: true,', 'retry_errors=True,');
    const again = await evaluate(name, retry, flaky, resume);
    expect([again.code, resultOf(again)], again.stderr).toEqual([0, '["passed",0,3,0]']);
    const after = await newest(project);
    expect(after).toMatchObject({ status: 'completed', numRecords: 24 });
    expect(after.scoring).toEqual({ expected: 24, scored: 24, failed: 0, pending: 0 });
    const records = await recordsOf(assay, run.id);
    expect(new Set(records.map(({ testcaseId }) => testcaseId)).size).toBe(24);
    const refused = await evaluate(name, retry, flaky);
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('needs a run to complete: give its id as `resume`.'),
    ]);
  });

  test('completes a run over a part by the testcases that it is about', async () => {
    const name = `${language} resumed part`;
    const project = await createProject(name);
    const keys = both("keys: ['k0', 'k1', 'k2'],", 'keys=["k0", "k1", "k2"],');
    await evaluate(name, keys);
    const run = await newest(project);
    const [first] = (await assay.call('GET', `/runs/${run.id}/records`)).body.data;
    await assay.call('DELETE', `/records/${first.id}`);
    const resumed = await evaluate(name, {}, upper, { ASSAY_RESUME: run.id });
    expect([resumed.code, resultOf(resumed)], resumed.stderr).toEqual([0, '["passed",0,1,0]']);
    await evaluate(name, both('limit: 4,', 'limit=4,'));
    const limited = await newest(project);
    const unsaid = await evaluate(name, {}, upper, { ASSAY_RESUME: limited.id });
    expect([unsaid.code, unsaid.stderr]).toEqual([
      2,
      expect.stringContaining('is over 4 testcases: give the `limit`'),
    ]);
  });
});

test('assay run ends with 2 where every call of a script failed, and says so', async () => {
  await createProject('Script');
  const file = join(clients.folder, 'failing.mjs');
  const failing = both("throw new Error('down');", '');
  await writeFile(file, script('TypeScript', 'Script', { system: failing }));
  const end = await clients.command(['npx', 'assay', 'run', file, '--limit', '3']);
  expect([end.code, resultOf(end)], end.stderr).toEqual([2, '["unknown",2,3,3]']);
  expect(end.stdout).toContain('Every call of the system failed.');
});
