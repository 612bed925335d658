import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { commandsAt } from './command.ts';

/** Numbers that no double says, from a file to the server, through a system, and back. */
const rows = `{"order":9007199254740993,"rate":0.12345678901234567891,"answer":9007199254740993,"id":"one"}
{"order":12345678901234567890,"rate":1.5,"answer":12345678901234567890,"id":"two"}
`;
const project = (system: string) => `project: Numbers
testsets:
  Orders:
    file: orders.jsonl
    key: id
    inputs: [order, rate]
    expected: [answer]
metrics:
  Same order: { type: heuristic, output: boolean, builtin: { name: json_equal, options: { output: /answer, expected: /answer } } }
evaluations:
  orders:
    testset: Orders
    metrics: [Same order]
    system: ${system}
`;
const echo = `import { createInterface } from 'node:readline';
for await (const line of createInterface(process.stdin))
  console.log(line.replace('"inputs":{"order":', '"outputs":{"answer":'));
`;

interface NamedItem {
  name: string;
}

let assay: SharedInstallation;
let folder: string;

async function ask(...args: string[]) {
  const done = await commandsAt({ ...assay, folder }).ask(...args);
  expect(done.exitCode, done.stderr).toBe(0);
  return done;
}

const write = (file: string, text: string) => writeFile(join(folder, file), text);

/** The text of a reply, whose digits a parser would round. */
async function textOf(path: string): Promise<string> {
  const reply = await fetch(`${assay.url}/v2${path}`, {
    headers: { authorization: `Bearer ${assay.key}` },
  });
  return reply.text();
}

async function recordsOf(run: string): Promise<string> {
  return (await ask('records', run, '--project', 'Numbers', '--format', 'ndjson')).stdout;
}

beforeAll(async () => {
  assay = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-numbers-'));
  await write('orders.jsonl', rows);
  await write('echo.mjs', echo);
  await write(
    'assay.yaml',
    project(`{ command: [${JSON.stringify(process.execPath)}, echo.mjs] }`),
  );
  await ask('push', '--create-project');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('what is pushed comes back by pull, digit by digit', async () => {
  await write('orders.jsonl', '');
  await ask('pull', '--force');
  const pulled = (await readFile(join(folder, 'orders.jsonl'), 'utf8')).split('\n');
  expect(new Set(pulled)).toEqual(new Set(rows.split('\n')));
  expect((await ask('diff')).stderr).toContain('Nothing changes');
});

test('a program is given each digit, and its answer is stored with each digit', async () => {
  const { stdout } = await ask('run', '--json');
  const [{ runId, metrics }] = JSON.parse(stdout);
  expect(metrics[0]).toMatchObject({ name: 'Same order', mean: 1 });
  const stored = await textOf(`/runs/${runId}/records`);
  expect(stored).toContain('"outputs":{"answer":9007199254740993,"rate":0.12345678901234567891}');
  expect(stored).toContain('"outputs":{"answer":12345678901234567890,"rate":1.5}');
  expect(await recordsOf(runId)).toContain('{"answer":9007199254740993}');
  expect(stored).not.toContain('holds_doubles');
});

test('a part of the testset is chosen by each digit', async () => {
  const { stdout } = await ask('run', '--json', '--where', 'order=9007199254740993');
  const [{ runId, records }] = JSON.parse(stdout);
  expect(records).toBe(1);
  expect(await textOf(`/runs/${runId}`)).toContain('{"/order":9007199254740993}');
});

test('a part that the project names is chosen by each digit, too', async () => {
  const command = `{ command: [${JSON.stringify(process.execPath)}, echo.mjs] }`;
  const whole = project(command);
  await write('assay.yaml', `${whole}    where: { /order: 9007199254740993 }\n`);
  const { stdout } = await ask('run', '--json');
  await write('assay.yaml', whole);
  const [{ runId, records }] = JSON.parse(stdout);
  expect(records).toBe(1);
  expect(await textOf(`/runs/${runId}`)).toContain('{"/order":9007199254740993}');
});

test('an option of a metric keeps each digit', async () => {
  const options =
    '{ output: /answer, schema: { const: 9007199254740993, multipleOf: 1.0 }, fenced: false }';
  const metric = `  Is it: { type: heuristic, output: boolean, builtin: { name: json_schema, options: ${options} } }`;
  const whole = project('{ module: module.mjs }');
  await write('assay.yaml', whole.replace('metrics:', `metrics:\n${metric}`));
  await ask('push');
  expect((await ask('diff')).stderr).toContain('Nothing changes');
  const [{ id }] = JSON.parse(await textOf('/projects?name=Numbers')).data;
  const metrics = await textOf(`/projects/${id}/metrics`);
  expect(metrics).toContain('"const":9007199254740993');

  // What changed on the server comes by a pull, also into a folder without a file.
  const metricId = JSON.parse(metrics).data.find(({ name }: NamedItem) => name === 'Is it').id;
  const reply = await fetch(`${assay.url}/v2/metrics/${metricId}`, {
    method: 'PATCH',
    headers: { authorization: `Bearer ${assay.key}`, 'content-type': 'application/json' },
    body: '{"evalType":"heuristic","outputType":"boolean","builtin":{"name":"json_schema","options":{"output":"/answer","schema":{"enum":[12345678901234567890,1e400]}}}}',
  });
  expect(reply.status).toBe(200);
  await ask('pull', '--force');
  const pulled = await readFile(join(folder, 'assay.yaml'), 'utf8');
  expect(pulled).toMatch(/12345678901234567890, ?1e400/);
  expect((await ask('diff')).stderr).toContain('Nothing changes');
  await rm(join(folder, 'assay.yaml'));
  await ask('pull', '--project', 'Numbers', '--force');
  const first = await readFile(join(folder, 'assay.yaml'), 'utf8');
  expect(first).toContain('12345678901234567890');
  expect(first).toContain('1e400');
  expect((await ask('diff')).stderr).toContain('Nothing changes');
  await write('assay.yaml', whole);
});

test('a function of JavaScript is given doubles: the record keeps each digit, and says so in a note', async () => {
  await write(
    'module.mjs',
    'export default ({ order }) => ({ answer: order, type: typeof order });',
  );
  await write('assay.yaml', project('{ module: module.mjs }'));
  const { stdout } = await ask('run', '--json');
  const [{ runId, metrics, notes }] = JSON.parse(stdout);
  expect(metrics[0]).toMatchObject({ name: 'Same order', mean: 0 });
  const stored = await textOf(`/runs/${runId}/records`);
  expect(stored).toContain('"inputs":{"order":9007199254740993,"rate":0.12345678901234567891}');
  expect(stored).toContain('"outputs":{"answer":9007199254740992,"type":"number"}');
  const { data } = JSON.parse(stored);
  const told = data.flatMap(({ notes = [] }: { notes?: { code: string; path: string }[] }) =>
    notes.map(({ code, path }) => `${code} ${path}`),
  );
  expect(new Set(told)).toEqual(
    new Set([
      'holds_doubles /inputs/order',
      'holds_doubles /inputs/rate',
      'holds_doubles /expected/answer',
    ]),
  );
  expect(notes).toContainEqual(
    expect.stringMatching(
      /5 values of 2 records could not be held by a number of JavaScript\. The first: \/inputs\/order: No number of JavaScript holds \d+: the system was given \d+\./,
    ),
  );
});
