import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createProjectIn, recordsOf, resultOf } from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language, python } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';
import { pythonPackages } from './packages.ts';

/**
 * Systems as people write them: asynchronous, with the client of a provider that has limits, and
 * with answers that are no JSON.
 */
const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

let assay: SharedInstallation;
let clients: Clients;

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages });
});
afterAll(() => clients[Symbol.asyncDispose]());

/**
 * A provider that answers in capitals, and refuses the first request of every fifth question with
 * 429. None is refused twice: one that met every refusal by chance would run out of attempts.
 */
async function startProvider() {
  let requests = 0;
  const known = new Set<string>();
  const server = createServer((request, response) => {
    requests += 1;
    const question = decodeURIComponent(request.url!.slice(1));
    const isRefused = !known.has(question) && known.size % 5 === 0;
    known.add(question);
    response.writeHead(isRefused ? 429 : 200, isRefused ? { 'retry-after': '0' } : {});
    response.end(question.toUpperCase());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const ofProvider: Record<Language, (url: string) => string> = {
  TypeScript: (url) => `import { evaluate } from 'assay';
const result = await evaluate('TypeScript provider', {
  testset: 'Questions', metrics: ['Same'],
  system: async ({ question }) => {
    const response = await fetch('${url}/' + question);
    if (!response.ok) throw Object.assign(new Error('slow down'), { response });
    return { answer: await response.text(), at: new Date(0), parts: new Set([question]), score: NaN };
  },
  scores: { Own: async ({ outputs }) => outputs.parts.length === 1 },
});
console.log('RESULT ' + JSON.stringify([result.outcome, result.records, result.errors]));
const rows = [];
for await (const row of result.rows()) rows.push(row);
const { inputs, outputs, expected, scores } = rows.find((row) => row.inputs.question === 'q7');
console.log('ROWS ' + JSON.stringify([rows.length, inputs.question, outputs.answer, expected.answer, scores.Same, scores.Own, rows.every(({ durationMs }) => durationMs >= 0), result.notes.some((note) => note.includes('could not be stored'))]));
`,
  Python: (url) => `import asyncio, datetime, json, assay, httpx, numpy
from pydantic import BaseModel
class Answer(BaseModel):
    answer: str
    at: datetime.datetime
    parts: set
    score: float
client = httpx.AsyncClient()
async def system(inputs):
    response = await client.get("${url}/" + inputs["question"])
    response.raise_for_status()
    at = datetime.datetime(1970, 1, 1)
    return Answer(answer=response.text, at=at, parts={inputs["question"]}, score=numpy.float32("nan"))
async def own(outputs):
    await asyncio.sleep(0)
    return numpy.bool_(len(outputs["parts"]) == 1)
result = assay.evaluate("Python provider", testset="Questions", metrics=["Same"], system=system, scores={"Own": own})
print("RESULT " + json.dumps([result.outcome, result.records, result.errors], separators=(",", ":")))
rows = list(result.rows())
row = next(each for each in rows if each.inputs["question"] == "q7")
print("ROWS " + json.dumps([len(rows), row.inputs["question"], row.outputs["answer"], row.expected["answer"], row.scores["Same"], row.scores["Own"], all(each.duration_ms >= 0 for each in rows), any("could not be stored" in note for note in result.notes)], separators=(",", ":")))
`,
};

test.each(languages)(
  'asynchronous calls in %s share a client, are made again where its provider refuses them, and may answer what is no JSON',
  async (language) => {
    await using provider = await startProvider();
    const packages =
      language === 'Python' &&
      (await pythonPackages('httpx==0.28.1', 'numpy==2.4.6', 'pydantic==2.14.4'));
    const name = `${language} provider`;
    const project = await createProjectIn(assay, name, 60);
    const end = await clients.run(
      language,
      ofProvider[language](provider.url),
      packages ? { PYTHONPATH: `${clients.environment.PYTHONPATH}:${packages}` } : {},
    );
    expect([end.code, resultOf(end)], end.stdout + end.stderr).toEqual([0, '["passed",60,0]']);
    expect(end.stdout).toMatch(/^Same +60 +100\.0 %/m);
    expect(end.stdout).toMatch(/^Own +60 +100\.0 %/m);
    expect(end.stdout).toContain(
      '60 values of 60 records could not be stored. The first: /outputs/score',
    );
    expect(end.stdout).toContain('ROWS [60,"q7","Q7","Q7",true,true,true,true]');
    const [run] = await project.runs();
    const records = await recordsOf(assay, run!.id);
    const attempts = records.map(({ systemAttempts }) => systemAttempts ?? 1);
    // Whatever the provider was asked is told: none of it is an error.
    expect(attempts.reduce((sum, count) => sum + count, 0)).toBe(provider.requests());
    expect(provider.requests()).toBe(60 + 60 / 5);
    expect(end.stdout).toContain(`${provider.requests() - 60} calls were made again`);
    for (const { outputs, notes } of records) {
      expect(outputs).toMatchObject({ score: null, parts: [expect.stringMatching(/^q\d+$/)] });
      expect(outputs.at).toMatch(/^1970-01-01T00:00:00/);
      expect(notes).toEqual([
        expect.objectContaining({ code: 'not_converted', path: '/outputs/score' }),
      ]);
    }
  },
);

const oddAnswers: Record<Language, string> = {
  TypeScript: `import { evaluate } from 'assay';
const system = () => ({ 'half \\ud800': '\\udc00', get lazy() { throw new Error('locked'); }, later: Promise.resolve(1) });
await evaluate('TypeScript odd answers', { testset: 'Questions', config: { tags: new Set(['a']) }, system, scores: { Own: ({ outputs }) => outputs['half \\ud800'] === '\\udc00' } });`,
  Python: `import assay
def system(inputs):
    return {"half \\ud800": "\\udc00", "lazy": object(), "later": object()}
assay.evaluate("Python odd answers", testset="Questions", config={"tags": {"a"}}, system=system, scores={"Own": lambda outputs: outputs["half \\ud800"] == "\\udc00"})`,
};

test.each(languages)(
  'answers with halves of surrogate pairs are stored as they are in %s, beside what is no JSON',
  async (language) => {
    const project = await createProjectIn(assay, `${language} odd answers`, 1);
    const end = await clients.run(language, oddAnswers[language]);
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toMatch(/^Own +1 +100\.0 %/m);
    const [run] = await project.runs();
    const [record] = await recordsOf(assay, run!.id);
    expect(record!.outputs).toEqual({ 'half \ud800': '\udc00', lazy: null, later: null });
    expect(record!.notes?.map(({ path }) => path)).toEqual(['/outputs/lazy', '/outputs/later']);
    const systems = (await assay.call('GET', `/projects/${project.id}/systems`)).body.data;
    expect(systems[0].productionVersion.config).toEqual({ tags: ['a'] });
  },
);

test.each(languages)(
  'testcases of a file that begins with a byte order mark are read in %s without a server',
  async (language) => {
    const lines = '\ufeff{"inputs":{"q":"1"}}\r\n{"inputs":{"q":"2"}}\r\n';
    await writeFile(join(clients.folder, 'windows.jsonl'), lines);
    const end = await clients.run(
      language,
      language === 'TypeScript'
        ? `import { evaluate } from 'assay';
await evaluate('P', { local: true, testcases: 'windows.jsonl', system: ({ q }) => q, scores: { S: () => true } });`
        : `import assay
assay.evaluate("P", local=True, testcases="windows.jsonl", system=lambda i: i["q"], scores={"S": lambda: True})`,
    );
    expect(end.code, end.stderr).toBe(0);
    expect(end.stdout).toMatch(/^S +2 +100\.0 %/m);
  },
);

test.runIf(withPython)(
  'an asynchronous test keeps its answer, whoever runs it: pytest-asyncio, by its mark or for all tests, or Assay',
  async (context) => {
    const pytest = await pythonPackages('pytest==8.4.2', 'pytest-asyncio==1.2.0');
    if (!pytest) return context.skip('The package registry of Python cannot be reached.');
    const environment = { PYTHONPATH: `${clients.environment.PYTHONPATH}:${pytest}` };
    const project = await createProjectIn(assay, 'Asynchronous tests', 4);
    for (const [mark, mode] of [
      ['', 'strict'],
      ['@pytest.mark.asyncio', 'strict'],
      ['', 'auto'],
    ] as const) {
      await writeFile(
        join(clients.folder, 'test_later.py'),
        `import asyncio, assay, pytest
${mark}
@assay.evaluates("Asynchronous tests", testset="Questions", metrics=["Same"])
async def test_later(inputs):
    await asyncio.sleep(0)
    assert inputs["question"] != "q3"
    return {"answer": inputs["question"].upper()}
`,
      );
      const words = ['-m', 'pytest', '-v', '-p', 'no:cacheprovider', `--asyncio-mode=${mode}`];
      const { code, stdout } = await clients.command(
        [python, ...words, 'test_later.py'],
        environment,
      );
      expect(code, stdout).toBe(1);
      expect(stdout).toMatch(/test_later\[q0\] PASSED/);
      expect(stdout).toMatch(/test_later\[q3\] FAILED/);
      const [run] = await project.runs();
      const records = await recordsOf(assay, run!.id);
      expect(records.map(({ outputs, error }) => outputs.answer ?? error?.name)).toEqual(
        expect.arrayContaining(['Q0', 'Q1', 'Q2', 'AssertionError']),
      );
    }
  },
);
