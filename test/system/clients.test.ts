import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { poll } from '@assay/testing/poll';
import { startTcpProxy } from '@assay/testing/tcp-proxy';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  both,
  crashing,
  createProjectIn,
  documented,
  failingInOne,
  fence,
  noTrace,
  numTestcases,
  recordsOf,
  resultOf,
  runInOne,
  script,
  upper,
  withoutTypes,
  wrong,
} from './client-scripts.ts';
import {
  type Clients,
  hasPython,
  installClients,
  type Language,
  python,
  writeVitestProject,
} from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';
import { pythonPackages } from './packages.ts';

/**
 * The packages for TypeScript and Python, installed from a running server, in the hands of their
 * users. In CI there must be a Python; elsewhere its tests are left out without one.
 */
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

const createProject = (...given: [name: string, count?: number, metric?: string]) =>
  createProjectIn(assay, ...given);
const records = (runId: string) => recordsOf(assay, runId);

describe.each(languages)('evaluate in %s', (language) => {
  test('ends with a verdict, by an exit code where there is a gate', async () => {
    const name = `${language} verdict`;
    const project = await createProject(name);
    const first = await clients.run(
      language,
      script(language, name, {
        more: both(`config: { v: 1 }, name: 'First',`, `config={"v": 1}, name="First",`),
      }),
    );
    expect([first.code, resultOf(first)], first.stderr).toEqual([0, '["passed",0,24,0]']);
    expect(first.stdout).toContain('A first run: There is nothing to compare with');
    expect(first.stdout).toMatch(/^Same +24 +100\.0 %/m);
    const second = script(language, name, {
      system: wrong,
      more: both(
        'config: { v: 2 }, gate: { maxRegression: 0.02 },',
        'config={"v": 2}, gate={"max_regression": 0.02},',
      ),
    });
    const worse = await clients.run(language, second);
    expect([worse.code, resultOf(worse)]).toEqual([1, undefined]);
    expect(worse.stdout).toMatch(/^Same +24 +100\.0 % +0\.0 % +−100\.0 +worse$/m);
    expect(worse.stdout).toContain('Compared with run "First", the newest completed run of');
    const runs = await project.runs();
    const link = `${assay.url}/projects/${project.id}/compare?baseline=${runs[1]!.id}&candidate=${runs[0]!.id}`;
    expect(worse.stderr).toMatch(
      /^"Same": Worse: this run is 100\.0 points lower \(95 % interval 100\.0 to [\d.]+ lower; adjusted p < 0\.0001; 24 pairs\)\. This run is 1 lower, and max_?[rR]egression allows 0\.02\. http:\S+\n$/m,
    );
    expect(worse.stderr).toContain(link);
    expect(worse.stdout.split('\n').filter((line) => line.length > 80).length).toBeLessThan(4);
  });

  test('without versions, is compared with the run before, but for a gate, which needs a baseline or limits', async () => {
    const name = `${language} again`;
    await createProject(name);
    const limits = both('gate: { minPassRate: 0.9 },', 'gate={"min_pass_rate": 0.9},');
    const [first, second, within] = await runInOne(clients, language, [
      script(language, name, {}),
      script(language, name, { system: wrong }),
      script(language, name, { more: limits }),
    ]);
    expect(first!.stdout, first!.stderr).toContain('There is nothing to compare with');
    expect([second!.code, resultOf(second!)], second!.stderr).toEqual([0, '["worse",1,24,0]']);
    expect(second!.stdout).toMatch(
      /Compared with run [-0-9a-f]+, the newest completed run on this testset\./,
    );
    const more = both('gate: { maxRegression: 0.02 },', 'gate={"max_regression": 0.02},');
    const gated = await clients.run(language, script(language, name, { more }));
    expect([gated.code, gated.stderr]).toEqual([
      2,
      expect.stringContaining('Make a run the baseline of the testset'),
    ]);
    expect([within!.code, resultOf(within!)], within!.stderr).toEqual([0, '["passed",0,24,0]']);
    expect(within!.stdout).toContain('Within its limits. There is nothing to compare with');
  });

  test('that crashes on all but two of its testcases is worse, though it answers these two rightly', async () => {
    const name = `${language} crash`;
    await createProject(name);
    const first = both('config: { v: 1 },', 'config={"v": 1},');
    await clients.run(language, script(language, name, { more: first }));
    const more = both('config: { v: 2 }, gate: {},', 'config={"v": 2}, gate={},');
    const worse = await clients.run(language, script(language, name, { system: crashing, more }));
    expect([worse.code, resultOf(worse)], worse.stderr).toEqual([1, undefined]);
    expect(worse.stdout).toMatch(/^Same +24 +100\.0 % +[\d.]+ % +−[\d.]+ +worse$/m);
    expect(worse.stdout).toMatch(/^errors +24 +0\.0 % +[\d.]+ % +\+[\d.]+ +worse$/m);
    expect(worse.stdout).toMatch(
      /^"errors": Worse: this run is [\d.]+ points higher, which is worse/m,
    );
  });

  test('keeps an exception and a time-out as records, which do not end it', async () => {
    const name = `${language} failures`;
    const project = await createProject(name, 6);
    const end = await clients.run(
      language,
      script(language, name, {
        system: both(
          `if (inputs.question === 'q1') throw new RangeError('too far'); if (inputs.question === 'q2') await new Promise(() => {}); ${upper.TypeScript}`,
          `if inputs["question"] == "q1": raise ValueError("too far")
    if inputs["question"] == "q2": time.sleep(60)
    ${upper.Python}`,
        ),
        more: both('timeoutMs: 5000, trials: 2,', 'timeout_ms=5000, trials=2,'),
      }),
    );
    expect([end.code, resultOf(end)], end.stderr).toEqual([0, '["passed",0,12,4]']);
    const [run] = await project.runs();
    const stored = await records(run!.id);
    const errors = stored.flatMap(({ error, outputs }) => {
      if (error) expect(outputs).toEqual({});
      return error ? [{ name: error.name, message: error.message }] : [];
    });
    const errorName = language === 'Python' ? 'ValueError' : 'RangeError';
    const thrown = { name: errorName, message: 'too far' };
    const late = { name: 'TimeoutError', message: 'The system gave no answer within 5000 ms.' };
    expect(errors).toHaveLength(4);
    expect(errors).toEqual(expect.arrayContaining([thrown, thrown, late, late]));
    const failed = await assay.call('GET', `/runs/${run!.id}/records?hasError=true`);
    expect(failed.body.data).toHaveLength(4);
    const stacks = failed.body.data.map((each: { error: { stack?: string } }) => each.error.stack);
    expect(stacks.join()).toContain('too far');
    expect(end.stdout).toContain(
      `The system failed on 4 records: ${errorName}: too far (2), TimeoutError: The system gave no answer within 5000 ms. (2).`,
    );
    expect(end.stderr).toContain(`${errorName}: too far`);
    expect((await assay.call('GET', `/runs/${run!.id}`)).body.scoring).toMatchObject({
      failed: 0,
      errored: 4,
    });
  });

  test('that was killed does only what is missing when it is resumed', async () => {
    const name = `${language} killed`;
    const project = await createProject(name);
    const calls = join(clients.folder, `${language}-calls`);
    await appendFile(calls, '');
    const code = script(language, name, {
      system: both(
        `appendFileSync(${JSON.stringify(calls)}, inputs.question + '\\n'); if (Number(inputs.question.slice(1)) > 9 && !process.env.ASSAY_RESUME) await new Promise(() => setTimeout(() => {}, 60000)); ${upper.TypeScript}`,
        `import os
    with open(${JSON.stringify(calls)}, "a") as file: file.write(inputs["question"] + "\\n")
    if int(inputs["question"][1:]) > 9 and not os.environ.get("ASSAY_RESUME"): time.sleep(60)
    ${upper.Python}`,
      ),
    });
    const killed = await clients.start(language, code);
    const run = await poll('ten records are stored', async () => {
      const [found] = await project.runs();
      return found?.numRecords === 10 && found;
    });
    killed.child.kill('SIGKILL');
    await killed.ended;
    await writeFile(calls, '');
    const resumed = await clients.run(language, code, { ASSAY_RESUME: run.id });
    expect([resumed.code, resultOf(resumed)], resumed.stderr).toEqual([0, '["passed",0,14,0]']);
    expect(resumed.stdout).toMatch(/: 24 records, 14 of them answered now$/m);
    expect((await readFile(calls, 'utf8')).trim().split('\n')).toHaveLength(14);
    expect(await project.runs()).toHaveLength(1);
    const stored = await records(run.id);
    expect(new Set(stored.map(({ testcaseId }) => testcaseId)).size).toBe(numTestcases);
    expect(stored).toHaveLength(numTestcases);
  });

  test('whose server goes away says in one sentence how to go on, and does when it is back', async () => {
    const name = `${language} away`;
    const project = await createProject(name);
    await using proxy = await startTcpProxy(assay.url);
    const code = script(language, name, {
      system: both(
        `await new Promise((done) => setTimeout(done, inputs.question === 'q0' ? 0 : 200)); ${upper.TypeScript}`,
        `time.sleep(0 if inputs["question"] == "q0" else 0.2)
    ${upper.Python}`,
      ),
      more: both('concurrency: 2, patienceMs: 1500,', 'concurrency=2, patience_ms=1500,'),
    });
    const viaProxy = { ASSAY_URL: `http://127.0.0.1:${proxy.port}` };
    const cut = await clients.start(language, code, viaProxy);
    const run = await poll('a record is stored', async () => {
      const [found] = await project.runs();
      return (found?.numRecords ?? 0) > 0 && found;
    });
    proxy.disturb({ kind: 'refuse' });
    proxy.end('reset');
    const end = await cut.ended;
    expect(end.code, end.stderr).toBe(2);
    expect(end.stderr).toMatch(noTrace);
    expect(end.stderr).toMatch(/Assay is not reached at \S+ .*To go on: ASSAY_RESUME=\S+ .*script/);
    expect(end.stderr).toContain(`ASSAY_RESUME=${run!.id}`);
    proxy.heal();
    const resumed = await clients.run(language, code, { ...viaProxy, ASSAY_RESUME: run!.id });
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await records(run!.id)).toHaveLength(numTestcases);
  });

  test('says in one sentence what to do about a key, an address or a name that is wrong', async () => {
    const name = `${language} names`;
    const project = await createProject(name, 1);
    await assay.call('POST', `/projects/${project.id}/testsets`, {
      ...{ name: 'Twice', description: '', jsonSchema: { type: 'object' } },
      fieldMapping: { inputs: [], expected: [], metadata: [] },
    });
    await assay.call('POST', `/testsets/${project.testset.id}/duplicate`, { name: 'Twice' });
    const other = createServer((_request, response) => response.end('<h1>Something else</h1>'));
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const otherUrl = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
    const good = script(language, name, {});
    const based = (baseline: string) =>
      script(language, name, {
        more: both(`baseline: '${baseline}', gate: {},`, `baseline="${baseline}", gate={},`),
      });
    const cases: [string, Record<string, string>, RegExp][] = [
      [good, { ASSAY_API_KEY: 'ak_wrong' }, /^The key is not accepted by \S+: set ASSAY_API_KEY/],
      [good, { ASSAY_API_KEY: '' }, /^There is no key: set ASSAY_API_KEY/],
      [good, { ASSAY_URL: 'http://127.0.0.1:9' }, /^Assay is not reached at http:\S+:9 /],
      [good, { ASSAY_URL: 'localhost' }, /^ASSAY_URL is no address of a server: "localhost"/],
      [good, { ASSAY_URL: otherUrl }, /^What answers at \S+ is not Assay: set ASSAY_URL/],
      [
        good.replace('Questions', 'Question'),
        {},
        /^There is no testset "Question"\. Did you mean "Que/,
      ],
    ];
    const names: [string, RegExp][] = [
      [good.replace('Questions', 'Twice'), /^2 testsets are called "Twice": give an id, \S+ or/],
      [
        good.replace(/"Same"|'Same'/, '"Sane"'),
        /^There is no metric "Sane"\. Did you mean "Same"\?$/,
      ],
      [based('prodution'), /^There is no run "prodution"\. Did you mean "production"\?$/],
      [based('Baseline'), /^There is no run "Baseline"\. Did you mean "baseline"/],
      [based('brnch:main'), /^There is no run "brnch:main"\. Did you mean "branch:main"\?$/],
    ];
    for (const [code, environment, sentence] of cases) {
      const end = await clients.run(language, code, environment);
      expect([end.code, end.stdout]).toEqual([2, '']);
      expect(end.stderr.trim()).toMatch(sentence);
      expect(end.stderr.trim().split('\n')).toHaveLength(1);
    }
    const codes = names.map(([code]) => code);
    const all = await clients.run(language, failingInOne(language, codes));
    expect(all.stdout).toBe('');
    const sentences = all.stderr.trim().split('\n');
    expect(sentences).toHaveLength(names.length);
    for (const [index, [, sentence]] of names.entries()) {
      expect(sentences[index]).toMatch(/^2 /);
      expect(sentences[index]!.slice(2)).toMatch(sentence);
    }
    other.close();
    expect(await project.runs()).toEqual([]);
  });

  test("keeps the scores of own scorers as a program's", async () => {
    const name = `${language} scorers`;
    const project = await createProject(name, 6);
    const end = await clients.run(
      language,
      script(language, name, {
        more: both(
          `scores: { Exact: ({ outputs, expected }) => outputs.answer === expected.answer, Grade: ({ inputs }) => Math.max(1, Math.min(5, Number(inputs.question.slice(1)))), Share: () => ({ value: 0.25, reasoning: 'a quarter' }), Some: ({ inputs }) => inputs.question === 'q0' ? null : true },`,
          `scores={"Exact": lambda outputs, expected: outputs["answer"] == expected["answer"], "Grade": lambda inputs: max(1, min(5, int(inputs["question"][1:]))), "Share": lambda: {"value": 0.25, "reasoning": "a quarter"}, "Some": lambda inputs: None if inputs["question"] == "q0" else True},`,
        ),
      }),
    );
    expect([end.code, resultOf(end)], end.stderr).toEqual([0, '["passed",0,6,0]']);
    const metrics = (await assay.call('GET', `/projects/${project.id}/metrics`)).body.data as {
      name: string;
      evalType: string;
      outputType: string;
    }[];
    const types = Object.fromEntries(metrics.map((metric) => [metric.name, metric.outputType]));
    expect(types).toEqual({
      Same: 'boolean',
      Exact: 'boolean',
      Grade: 'int',
      Share: 'float',
      Some: 'boolean',
    });
    const [run] = await project.runs();
    const stored = await records(run!.id);
    expect(stored.flatMap(({ scores }) => scores.map(({ source }) => source))).toEqual(
      Array(stored.flatMap(({ scores }) => scores).length).fill('heuristic'),
    );
    expect(end.stdout).toMatch(/^Exact +6 +100\.0 %/m);
    expect(end.stdout).toMatch(/^Share +6 +0\.250/m);
    expect(end.stdout).toMatch(/^Grade +6 +2\.667/m);
    expect(end.stdout).toMatch(/^Some +5 +100\.0 %/m);
    expect(end.stdout).toMatch(/^errors +6 +0\.0 % +0\.0 % to [\d.]+ % +0\n\n/m);
  });
});

/** The project that the page speaks of, with a baseline. */
async function createDocumented(): Promise<void> {
  const { data } = (await assay.call('GET', '/projects?limit=100')).body;
  if (data.some(({ name }: { name: string }) => name === 'Support')) return;
  const project = await createProject('Support', 4, 'Same answer');
  const code = script('TypeScript', 'Support', {}).replace("'Same'", "'Same answer'");
  expect((await clients.run('TypeScript', code)).code).toBe(0);
  const [run] = await project.runs();
  await assay.call('PUT', `/testsets/${project.testset.id}/baseline`, { runId: run!.id });
}

test.each(Object.keys(fence) as (keyof typeof fence)[])(
  'the code of the page and of the README does what they say: %s',
  async (kind) => {
    if (!languages.includes(fence[kind])) return;
    await createDocumented();
    const page = documented(kind, /evaluate\b/);
    const program = kind === 'ts' ? withoutTypes(page) : page;
    const { code, stdout, stderr } = await clients.run(fence[kind], program);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch(/^Same answer +4 +100\.0 % +100\.0 % +0\.0 +undecided$/m);
    expect(stdout).toMatch(/^passed 1(\.0)? http:\S+compare/m);
    expect(stdout).toMatch(/^Short +4 +100\.0 %/m);
    expect(stdout).toMatch(/^Near +4 +1\.000/m);
    expect(stdout).toMatch(/^Support \(local\): 1 record$/m);
  },
);

test('a test of vitest is made of each testcase, and one that fails where the run is worse', async () => {
  const name = 'Vitest';
  await createProject(name, 12);
  const first = script('TypeScript', name, { more: both('config: { v: 1 },', '') });
  expect((await clients.run('TypeScript', first)).code).toBe(0);
  await createDocumented();
  const command = await writeVitestProject(clients, {
    'page.test.js': withoutTypes(documented('ts', /evaluates/)),
    'support.test.js': `import { expect } from 'vitest';
import { evaluates } from 'assay/vitest';
evaluates('${name}', { testset: 'Questions', metrics: ['Same'], config: { v: 2 }, gate: { maxRegression: 0.02 } }, async ({ inputs, expected }) => {
  expect(inputs.question).not.toBe('q3');
  return { answer: 'wrong' };
});
`,
  });
  const { code, stdout, stderr } = await clients.command(command);
  expect(code, stdout + stderr).toBe(1);
  expect(stdout).toMatch(/✓ .*Vitest · Questions > q0/);
  expect(stdout).toMatch(/× .*Vitest · Questions > q3/);
  expect(stdout).toMatch(
    /× .*is not worse than run \S+, the newest completed run of the production/,
  );
  expect(stdout + stderr).toMatch(
    /"Same": Worse: this run is 100\.0 points lower .*http:\S+compare/,
  );
  expect(stdout).toMatch(/2 failed \| 16 passed \(18\)/);
});

test.runIf(withPython)(
  'a test of pytest is made of each testcase, and one that fails where the run is worse',
  async (context) => {
    const pytest = await pythonPackages('pytest==8.4.2');
    if (!pytest) return context.skip('The package registry of Python cannot be reached.');
    const name = 'Pytest';
    await createProject(name, 12);
    const first = script('Python', name, { more: both('', 'config={"v": 1},') });
    expect((await clients.run('Python', first)).code).toBe(0);
    await writeFile(
      join(clients.folder, 'test_support.py'),
      `import assay, pytest

@pytest.fixture
def suffix():
    return "!"

@assay.evaluates("${name}", testset="Questions", metrics=["Same"], config={"v": 2}, gate={"max_regression": 0.02})
def test_support(inputs, expected, suffix):
    assert inputs["question"] != "q3"
    return {"answer": inputs["question"] + suffix}

def test_other():
    assert True
`,
    );
    await createDocumented();
    await writeFile(join(clients.folder, 'test_page.py'), documented('python', /evaluates/));
    const { code, stdout } = await clients.command(
      [python, '-m', 'pytest', '-v', '-p', 'no:cacheprovider', 'test_support.py', 'test_page.py'],
      { PYTHONPATH: `${clients.environment.PYTHONPATH}:${pytest}` },
    );
    expect(code, stdout).toBe(1);
    expect(stdout).toMatch(/test_support\[q0\] PASSED/);
    expect(stdout).toMatch(/test_support\[q3\] FAILED/);
    expect(stdout).toMatch(/test_support is not worse than run \S+, the newest .* FAILED/);
    expect(stdout).toMatch(/"Same": Worse: this run is 100\.0 points lower .*http:\S+compare/);
    expect(stdout).toMatch(/test_page.py::test_support\[q0\] PASSED/);
    expect(stdout).toMatch(/test_page.py::test_support is not worse than .* PASSED/);
    expect(stdout).toMatch(/2 failed, 17 passed/);
  },
);
