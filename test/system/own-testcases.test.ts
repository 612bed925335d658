import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  both,
  createProjectIn,
  failingInOne,
  noTrace,
  resultOf,
  runInOne,
  script,
  upper,
} from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';

/** Evaluations that bring their own testcases, in both languages. */
const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

let assay: SharedInstallation;
let clients: Clients;

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages });
});
afterAll(() => clients[Symbol.asyncDispose]());

const get = async (path: string) => (await assay.call('GET', path)).body;

async function projectOf(name: string) {
  const { data } = await get('/projects?limit=100');
  const found = (data as { id: string; name: string }[]).filter((each) => each.name === name);
  expect(found.map((each) => each.name)).toEqual([name]);
  return found[0]!.id;
}

/** The testset "Questions" of a project, and its testcases by their keys. */
async function testsetOf(name: string) {
  const projectId = await projectOf(name);
  const { data } = await get(`/projects/${projectId}/testsets`);
  expect(data).toHaveLength(1);
  const [testset] = data;
  const { data: items } = await get(`/testsets/${testset.id}/testcases?limit=100`);
  const byKey = (items as { key: string; id: string; jsonData: unknown }[]).map(
    ({ key, jsonData }) => [key, jsonData],
  );
  return { ...testset, items, testcases: Object.fromEntries(byKey) };
}

async function newestRun(name: string) {
  const { data } = await get(`/projects/${await projectOf(name)}/runs`);
  return get(`/runs/${data[0].id}`);
}

/** A script that brings testcases, with a scorer of its own. */
const own = (language: Language, name: string, testcases: string, more = both('', '')) =>
  language === 'TypeScript'
    ? `import { evaluate } from 'assay';
const result = await evaluate('${name}', {
  testset: 'Questions', testcases: ${testcases}, createProject: true, ${more.TypeScript}
  system: ({ question, input }) => ({ answer: String(question ?? input).toUpperCase() }),
  scores: { Right: ({ outputs, expected }) => outputs.answer === String(expected.answer ?? expected.expected) },
});
console.log('RESULT ' + JSON.stringify([result.outcome, result.records, result.metrics[0].mean]));
console.log('NOTES ' + JSON.stringify(result.notes));`
    : `import json, assay
result = assay.evaluate("${name}", testset="Questions", testcases=${testcases}, create_project=True, ${more.Python}
    system=lambda inputs: {"answer": str(inputs.get("question", inputs.get("input"))).upper()},
    scores={"Right": lambda outputs, expected: outputs["answer"] == str(expected.get("answer", expected.get("expected")))})
print("RESULT " + json.dumps([result.outcome, result.records, int(result.metrics[0].mean)], separators=(",", ":")))
print("NOTES " + json.dumps(result.notes, ensure_ascii=False))`;

const questions = (count: number, answer = 'Q') =>
  JSON.stringify(
    Array.from({ length: count }, (_, index) => ({
      key: `k${index}`,
      inputs: { question: `q${index}` },
      expected: { answer: `${answer}${index}` },
    })),
  );

describe.each(languages)('testcases of one’s own in %s', (language) => {
  const evaluate = (name: string, testcases: string, more = both('', ''), environment = {}) =>
    clients.run(language, own(language, name, testcases, more), environment);
  const evaluateInOne = (
    name: string,
    ...each: [testcases: string, more?: Record<Language, string>][]
  ) =>
    runInOne(
      clients,
      language,
      each.map((given) => own(language, name, ...given)),
    );

  test('make the project and the testset, and a second time change nothing', async () => {
    const name = `${language} makes`;
    const first = await evaluate(name, questions(3));
    expect([first.code, resultOf(first)], first.stderr).toEqual([0, '["passed",3,1]']);
    expect(first.stdout).toContain('Testcases of "Questions": 3 created.');
    const testset = await testsetOf(name);
    expect(testset).toMatchObject({
      jsonSchema: { type: 'object', properties: { question: {}, answer: {} } },
      fieldMapping: { inputs: ['question'], expected: ['answer'], metadata: [] },
      testcases: { k0: { question: 'q0', answer: 'Q0' }, k2: { question: 'q2', answer: 'Q2' } },
    });
    const run = await newestRun(name);
    expect(run).toMatchObject({ status: 'completed', numExpectedRecords: 3 });
    expect([run.keys, run.numTestcases]).toEqual([undefined, undefined]);
    const second = await evaluate(name, questions(3));
    expect(resultOf(second), second.stderr).toBe('["passed",3,1]');
    expect(second.stdout).toMatch(/^Right +3 +100\.0 % +100\.0 % /m);
    expect(second.stdout).not.toContain('Testcases of');
    expect((await testsetOf(name)).items).toEqual(testset.items);
  });

  test('give systems and scorers their metadata', async () => {
    const rows = '[{"input": "a", "expected": "A", "lang": "de", "metadata": {"turns": 2}}]';
    const options = `testset: 'Questions', createProject: true, testcases: ${rows}`;
    const text =
      language === 'TypeScript'
        ? `import { evaluate } from 'assay';
const { metrics } = await evaluate('${language} metadata', {
  ${options},
  system: (_inputs, { testcase }) => testcase.metadata,
  scores: { Same: ({ outputs, metadata }) => JSON.stringify(outputs) === JSON.stringify(metadata) && metadata.turns === 2 },
});
console.log('RESULT ' + metrics[0].mean);`
        : `import assay
result = assay.evaluate("${language} metadata", testset="Questions", create_project=True, testcases=${rows},
    system=lambda inputs, context: context.testcase["metadata"],
    scores={"Same": lambda outputs, metadata: outputs == metadata and metadata["turns"] == 2})
print(f"RESULT {result.metrics[0].mean:g}")`;
    const end = await clients.run(language, text);
    expect(resultOf(end), end.stderr).toBe('1');
  });

  test('of evaluations at once, as of the jobs of one commit, have one project, testset, metric and system', async () => {
    const name = `${language} at once`;
    const config = both('config: { v: 1 },', 'config={"v": 1},');
    const jobs = await Promise.all([1, 2, 3].map(() => evaluate(name, questions(3), config)));
    for (const { code, stderr } of jobs) expect(code, stderr).toBe(0);
    const { id, items } = await testsetOf(name);
    expect(items).toHaveLength(3);
    const within = `/projects/${await projectOf(name)}`;
    const { data: runs } = await get(`${within}/runs`);
    expect(runs.map(({ testsetId }: { testsetId: string }) => testsetId)).toEqual([id, id, id]);
    for (const kind of ['metrics', 'systems'])
      expect((await get(`${within}/${kind}`)).data, kind).toHaveLength(1);
    // Beside them one of other fields, and another config.
    const more = both('config: { v: 2 },', 'config={"v": 2},');
    const rows = JSON.stringify([{ key: 'k8', inputs: { question: 'q8', lang: 'de' } }]);
    const other = `${name} of two kinds`;
    const kinds = await Promise.all([
      evaluate(other, questions(3), config),
      evaluate(other, rows, more),
    ]);
    for (const { code, stderr } of kinds) expect(code, stderr).toBe(0);
    expect((await testsetOf(other)).items).toHaveLength(4);
    // The same name again, once the first is gone.
    expect((await assay.call('DELETE', within)).status).toBe(200);
    const again = await evaluate(name, questions(3), config);
    expect(resultOf(again), again.stderr).toBe('["passed",3,1]');
    expect(`/projects/${await projectOf(name)}`).not.toBe(within);
  });

  test('update those of their keys, add new ones and fields, and delete nothing', async () => {
    const name = `${language} updates`;
    await createProjectIn(assay, name, 2);
    const rows = JSON.stringify([
      {
        key: 'k0',
        inputs: { question: 'q0', context: 'c' },
        expected: { answer: 'Q0' },
        lang: 'de',
      },
      { key: 'k9', inputs: { question: 'q9' }, expected: { answer: 'Q9' } },
    ]);
    const [, end] = await evaluateInOne(name, [questions(3, 'x')], [rows]);
    expect(resultOf(end!), end!.stderr).toBe('["unknown",2,1]');
    expect(end!.stdout).toContain('The testset has the new field "context" now.');
    expect(end!.stdout).toContain('Testcases of "Questions": 1 created, 1 updated.');
    expect(end!.stdout).toContain('The run is on 2 of 6 testcases, keys k0 and k9.');
    expect(await newestRun(name)).toMatchObject({
      status: 'completed',
      keys: ['k0', 'k9'],
      numTestcases: 2,
      numExpectedRecords: 2,
    });
    const testset = await testsetOf(name);
    expect(testset.items).toHaveLength(6);
    expect(testset.fieldMapping.inputs).toEqual(['question', 'context']);
    expect(testset.testcases).toMatchObject({
      k0: { question: 'q0', context: 'c', answer: 'Q0', lang: 'de' },
      k1: { answer: 'x1' },
    });
  });

  test('keep numbers that the language does not hold, and the record says what was rounded', async () => {
    const name = `${language} numbers`;
    const path = join(clients.folder, `${language}-numbers.jsonl`);
    await writeFile(
      path,
      '{"key": "k0", "inputs": {"input": 0.12345678901234567891, "far": 1e400}, "expected": {"expected": 9007199254740993}}\n',
    );
    const end = await evaluate(name, JSON.stringify(path));
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toMatch(/could not be held by a .+ The first: \/inputs\/input: /);
    const { id } = await newestRun(name);
    const reply = await fetch(`${assay.url}/v2/runs/${id}/records`, {
      headers: { authorization: `Bearer ${assay.key}` },
    });
    // Python writes a space.
    const stored = (await reply.text()).replaceAll('": ', '":');
    expect(stored).toContain('"input":0.12345678901234567891');
    expect(stored).toContain('"far":1e400');
    expect(stored).toContain('"expected":{"expected":9007199254740993}');
    expect(stored).toContain('"code":"holds_doubles","path":"/inputs/input"');
  });

  test('with sync are all that the testset has afterwards', async () => {
    const name = `${language} sync`;
    const sync = both('sync: true,', 'sync=True,');
    const [, end] = await evaluateInOne(name, [questions(4)], [questions(2), sync]);
    expect(resultOf(end!), end!.stderr).toBe('["passed",2,1]');
    expect(end!.stdout).toContain('Testcases of "Questions": 2 deleted.');
    expect(Object.keys((await testsetOf(name)).testcases)).toEqual(['k0', 'k1']);
    expect((await newestRun(name)).numTestcases).toBeUndefined();
  });

  test('of one key, and options that are wrong, end before anything is stored', async () => {
    const name = `${language} refused`;
    const twice = JSON.stringify([
      { key: 'a', input: 1 },
      { key: 'b', input: 2 },
      { key: 'a', input: 3 },
    ]);
    const end = await evaluate(name, twice);
    expect([end.code, end.stdout, end.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('Rows 1 and 3 of `testcases` have the same key "a"'),
    ]);
    const codes = [
      own(language, name, questions(1), both("metrics: ['No'],", 'metrics=["No"],')),
      own(language, name, questions(2), both("keys: ['k9'],", 'keys=["k9"],')),
      own(language, name, '[]'),
    ];
    const others = await clients.run(language, failingInOne(language, codes));
    expect(others.stdout).toBe('');
    expect(others.stderr.trimEnd().split('\n')).toEqual([
      expect.stringMatching(/^2 There is no metric/),
      expect.stringMatching(/^2 No row of `testcases` has the key "k9"/),
      expect.stringMatching(/^2 `testcases` has no rows/),
    ]);
    for (const { stderr } of [end, others]) expect(stderr).toMatch(noTrace);
    const { data } = await get('/projects?limit=100');
    expect(data.map((each: { name: string }) => each.name)).not.toContain(name);
  });

  test('come from a generator, as scalars, and are known by their inputs', async () => {
    const name = `${language} generator`;
    const generator = (of: number) =>
      language === 'TypeScript'
        ? `(async function* () { for (const n of [7, 8]) yield { input: n, expected: n === ${of} ? n : 'no' }; })()`
        : `({"input": n, "expected": n if n == ${of} else "no"} for n in (7, 8))`;
    await evaluate(name, generator(7));
    const before = await testsetOf(name);
    expect(before.items.map(({ jsonData }: { jsonData: unknown }) => jsonData)).toEqual([
      { input: 7, expected: 7 },
      { input: 8, expected: 'no' },
    ]);
    const end = await evaluate(name, generator(8));
    expect(end.stdout, end.stderr).toContain('Testcases of "Questions": 2 updated.');
    expect(Object.keys((await testsetOf(name)).testcases)).toEqual(Object.keys(before.testcases));
  });

  test('come from CSV with quotes and CRLF, and from JSON lines', async () => {
    const name = `${language} files`;
    const csv =
      '\ufeffid,question,answer,topic\r\n1,"a ""b"",\r\nc","A ""B"",\r\nC",x\r\n2,d,D,\r\n';
    await writeFile(join(clients.folder, 'questions.csv'), csv);
    const lines = '{"id":2,"question":"e","answer":"E"}\r\n{"id":"3","question":"f","answer":"F"}';
    await writeFile(join(clients.folder, 'questions.jsonl'), lines);
    const ends = await evaluateInOne(name, ["'questions.csv'"], ["'questions.jsonl'"]);
    expect(ends.map(resultOf), ends[0]!.stderr).toEqual(['["passed",2,1]', '["unknown",2,1]']);
    expect(ends[0]!.code).toBe(0);
    expect(await testsetOf(name)).toMatchObject({
      fieldMapping: { inputs: ['question', 'topic'], expected: ['answer'], metadata: ['id'] },
      testcases: {
        1: { id: '1', question: 'a "b",\r\nc', answer: 'A "B",\r\nC', topic: 'x' },
        2: { id: 2, question: 'e', answer: 'E' },
        3: { id: '3', question: 'f', answer: 'F' },
      },
    });
    const none = await evaluate(name, "'none.csv'");
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringContaining('The testcases cannot be read from none.csv'),
    ]);
  });

  test('are chosen among by where, keys, limit and sample', async () => {
    const name = `${language} chosen`;
    const rows = JSON.stringify(
      [0, 1, 2, 3, 4, 5].map((n) => ({
        id: `k${n}`,
        question: `q${n}`,
        answer: `Q${n}`,
        tags: n % 2 ? ['odd'] : [],
      })),
    );
    const of = (typescript: string) => both(typescript, typescript.replaceAll(/(\w+): /g, '$1='));
    const [{ code, stderr } = {}] = await evaluateInOne(
      name,
      [rows, of('limit: 2,')],
      [rows, of("keys: ['k3', 'k1'],")],
      [rows, both("where: { '/tags': 'odd' },", 'where={"/tags": "odd"},')],
      [rows, of('sample: 3, seed: 4,')],
    );
    expect(code, stderr).toBe(0);
    const { data } = await get(`/projects/${await projectOf(name)}/runs`);
    const ran = await Promise.all(
      (data as { id: string }[]).toReversed().map(({ id }) => get(`/runs/${id}`)),
    );
    const completed = { status: 'completed', numTestcases: 2 };
    expect(ran).toMatchObject([
      { ...completed, keys: ['k0', 'k1'] },
      { ...completed, keys: ['k1', 'k3'] },
      { ...completed, where: { '/tags': 'odd' }, numTestcases: 3 },
      { ...completed, numTestcases: 3 },
    ]);
    expect(ran[3].keys).toHaveLength(3);
    expect(ran.map(({ where, keys }) => [where !== undefined, keys !== undefined])).toEqual([
      [false, true],
      [false, true],
      [true, false],
      [false, true],
    ]);
    const baseline = await evaluate(
      name,
      JSON.stringify(JSON.parse(rows).slice(1)),
      both('setBaseline: true,', 'set_baseline=True,'),
    );
    expect([baseline.code, baseline.stderr]).toEqual([
      2,
      expect.stringContaining('`testcases` are a part of it'),
    ]);
  });

  test('complete a run that was begun with them', async () => {
    const name = `${language} resumes`;
    const project = await createProjectIn(assay, name, 1);
    await evaluate(name, questions(3));
    const { metricIds, keys } = await newestRun(name);
    expect(keys).toEqual(['k0', 'k1', 'k2']);
    const begun = await assay.call('POST', `/projects/${project.id}/runs`, {
      testsetId: project.testset.id,
      metricIds,
      keys,
    });
    const resume = { ASSAY_RESUME: begun.body.id };
    const end = await evaluate(name, questions(3), both('', ''), resume);
    expect([end.code, resultOf(end)], end.stderr).toEqual([0, '["passed",3,1]']);
    const completed = { status: 'completed', numRecords: 3 };
    expect(await get(`/runs/${begun.body.id}`)).toMatchObject(completed);
    expect(await project.runs()).toHaveLength(2);
  });
});

test.runIf(withPython)('a table of pandas has its rows, and NaN is null', async () => {
  const name = 'Table';
  const code = own('Python', name, 'Table()', both('', 'key="slug",')).replace(
    'import json, assay',
    `import json, assay
class Table:
    """As pandas'."""
    def to_dict(self, orient):
        assert orient == "records"
        return [{"slug": "a", "question": "q", "answer": "Q", "size": float("nan")}]`,
  );
  const end = await clients.run('Python', code);
  expect([end.code, resultOf(end)], end.stderr).toEqual([0, '["passed",1,1]']);
  expect((await testsetOf(name)).testcases).toEqual({
    a: { slug: 'a', question: 'q', answer: 'Q', size: null },
  });
});

test.runIf(withPython)('both languages give a row without a key the same one', async () => {
  const name = 'Same keys';
  const rows =
    '[{"inputs": {"question": "ä", "b": [1.5, 2], "a": 1e-7}, "expected": {"answer": "Ä"}}]';
  await clients.run('TypeScript', own('TypeScript', name, rows));
  const end = await clients.run('Python', own('Python', name, rows));
  expect(end.code, end.stderr).toBe(0);
  expect(end.stdout).not.toContain('Testcases of');
  expect((await testsetOf(name)).items).toHaveLength(1);
});

test('a project that is to be there is not made', async () => {
  const end = await clients.run(
    'TypeScript',
    script('TypeScript', 'Nowhere', {
      more: both("testcases: [{ input: 'a' }],", ''),
      system: upper,
    }),
  );
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('no project "Nowhere"')]);
});
