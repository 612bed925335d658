import type { ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, listAll } from '@assay/client/client';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { commandsAt, runAssay } from './command.ts';
import { promptfoo } from './promptfoo.ts';

let assay: SharedInstallation;
let commands: ReturnType<typeof commandsAt>;
let client: Client;
let folder: string;
let project: string;

beforeAll(async () => {
  assay = await shareInstallation();
  folder = await mkdtemp(join(tmpdir(), 'assay-import-'));
  commands = commandsAt({ url: assay.url, key: assay.key, folder });
  client = commands.client;
  project = await commands.create('/projects', { name: 'Support', description: '' });
});
afterAll(() => rm(folder, { recursive: true }));

const ask = (...args: string[]) => commands.ask(...args);
/** The same without a process. */
const askHere = (...args: string[]) => commands.askInProcess(...args);
/** The JSON of a command that ends well, without a process. */
const askJson = (...args: string[]) =>
  commands.askJson(
    ...args,
    ...(args[0] === 'import' ? ['--report', join(folder, 'import-report.json')] : []),
  );

/** Testcases of a testset on its first page; none where there is no such testset yet. */
async function countOf(name: string): Promise<number> {
  const { data } = await client.request('GET', '/projects/:projectId/testsets', {
    params: { projectId: project },
    query: { limit: 100 },
  });
  const id = data.find((each) => each.name === name)?.id;
  if (id === undefined) return 0;
  const page = await client.request('GET', '/testsets/:testsetId/testcases', {
    params: { testsetId: id },
    query: { limit: 1 },
  });
  return page.data.length;
}

async function write(name: string, content: string | object): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

test('a column of answers becomes a run, by its name or --role; a repeat stores none of them twice', async () => {
  const file = await write(
    'answers.csv',
    'question,ideal,reply\nFrance?,Paris,Paris\nPeru?,Lima,\n',
  );
  const args = ['import', file, '--project', project, '--role', 'reply=output'];
  const [run] = (await askJson(...args)).runs;
  expect(run).toMatchObject({ name: 'reply', isNew: true, created: 1 });
  expect(await client.request('GET', '/runs/:runId', { params: { runId: run.id } })).toMatchObject({
    status: 'completed',
    numRecords: 1,
    numTestcases: 1,
  });
  expect((await askJson(...args)).runs).toMatchObject([
    { id: run.id, isNew: false, created: 0, existing: 1 },
  ]);
  expect(
    (await askHere('import', file, '--project', project, '--role', 'reply=answer')).stderr,
  ).toContain('a role being input, expected, metadata, output, ignored');
});

test('an import brings testcases, systems, metrics, runs, records and scores; a repeat changes nothing', async () => {
  const file = await write('results.json', promptfoo(30));
  const args = ['import', file, '--project', 'Promptfoo', '--create-project'];
  const plan = await askJson(...args, '--dry-run');
  expect(plan).toMatchObject({ dryRun: true, project: { id: null, isNew: true } });
  expect((await askHere('runs', '--project', 'Promptfoo')).exitCode).toBe(2);
  const first = await askJson(...args);
  expect(first).toMatchObject({
    format: 'promptfoo',
    testsets: [{ isNew: true, created: 30, refused: 0 }],
    runs: [
      { isNew: true, created: 30, existing: 0, refused: 0, scores: 60 },
      { isNew: true, created: 30, existing: 0, refused: 0, scores: 60 },
    ],
  });
  expect(plan.runs.map(({ scores }: { scores: number }) => scores)).toEqual([60, 60]);
  const again = JSON.parse((await ask(...args, '--json')).stdout);
  expect(again).toMatchObject({
    project: { id: first.project.id, isNew: false },
    testsets: [{ id: first.testsets[0].id, isNew: false, created: 0, updated: 0, unchanged: 30 }],
    runs: first.runs.map(({ id }: { id: string }) => ({
      id,
      isNew: false,
      created: 0,
      existing: 30,
    })),
  });
  for (const kind of ['metrics', 'systems'])
    expect(again[kind]).toEqual(first[kind].map((entity: object) => ({ ...entity, isNew: false })));
  expect(JSON.parse(await readFile(join(folder, 'import-report.json'), 'utf8'))).toEqual(again);
  const { data } = await askJson('runs', '--project', 'Promptfoo');
  expect(data).toHaveLength(2);
  expect(data[0]).toMatchObject({
    numRecords: 30,
    numExpectedRecords: 30,
    status: 'completed',
    labels: { importedFrom: 'promptfoo' },
  });
});

test('an import of runs leaves testcases that are there as they are, and brings those that are not', async () => {
  const example = { id: 'e1', inputs: { q: 'Capital?' }, outputs: { a: 'Paris' } };
  const dataset = await write('dataset.json', [{ ...example, metadata: { level: 1 } }]);
  const experiment = await write('experiment.json', [
    { id: 'r1', reference_example_id: 'e1', inputs: { q: 'Capital?' }, outputs: { a: 'Paris' } },
    { id: 'r2', reference_example_id: 'e2', inputs: { q: 'River?' }, outputs: { a: 'Seine' } },
  ]);
  const to = ['--as', 'langsmith', '--project', 'Support', '--testset', 'Examples'];
  await askJson('import', dataset, ...to);
  const { testsets, runs } = await askJson('import', experiment, ...to);
  expect(testsets).toMatchObject([{ created: 1, updated: 0, unchanged: 1, refused: 0 }]);
  const again = (await askJson('import', experiment, ...to)).testsets;
  expect(again).toMatchObject([{ created: 0, updated: 0, unchanged: 2, refused: 0 }]);
  const { id } = (await askJson('import', dataset, ...to)).testsets[0];
  const there = await listAll(client, '/testsets/:testsetId/testcases', {
    params: { testsetId: id },
  });
  expect(there.map(({ key, jsonData }) => [key, jsonData])).toEqual([
    ['e1', { q: 'Capital?', a: 'Paris', level: 1, importedId: 'e1' }],
    ['e2', { q: 'River?', importedId: 'e2' }],
  ]);
  const records = await listAll(client, '/runs/:runId/records', { params: { runId: runs[0].id } });
  expect(records.map(({ testcaseId }) => testcaseId).sort()).toEqual(
    there.map((testcase) => testcase.id).sort(),
  );
});

test('losses of an import are listed, and --strict ends with 1', async () => {
  const file = await write('langfuse.json', [
    { id: 'a', input: { q: 1 }, expectedOutput: 'x', metadata: {}, status: 'ACTIVE' },
    { id: 'a', input: { q: 2 }, expectedOutput: 'y', metadata: {}, status: 'ACTIVE' },
  ]);
  const args = ['import', file, '--as', 'langfuse', '--project', 'Support'];
  const { exitCode, stderr } = await ask(...args, '--strict');
  expect(stderr).toContain('A testcase has the key of an earlier one');
  expect(exitCode).toBe(1);
  expect((await ask(...args)).exitCode).toBe(0);
});

test('rows without keys are stored once, also by a repeat after an import that was cut off', async () => {
  // Five requests: enough for one to be stored while others are still to come.
  const count = 5000;
  const rows = Array.from({ length: count }, (_, index) => `"Question ${index}",${index}`);
  // Rows that are equal are as many testcases.
  const file = await write(
    'many.csv',
    `question,answer\n${[...rows.slice(1), rows[1]].join('\n')}\n`,
  );
  const args = ['import', file, '--project', 'Support', '--testset', 'Many'];
  const environment = { ASSAY_URL: assay.url, ASSAY_API_KEY: assay.key };
  let importing: ChildProcess | undefined;
  const cutOff = runAssay(args, {
    folder,
    environment,
    onStart: (child) => (importing = child),
  });
  await poll('some testcases are stored', async () => (await countOf('Many')) > 0);
  importing!.kill('SIGKILL');
  expect((await cutOff).exitCode).toBeNull();
  const report = await askJson(...args);
  expect(report.testsets).toMatchObject([{ name: 'Many', refused: 0 }]);
  const [{ created, unchanged }] = report.testsets;
  expect(created + unchanged).toBe(count);
  expect(unchanged).toBeGreaterThan(0);
  const again = await askJson(...args);
  expect(again.testsets).toMatchObject([{ created: 0, updated: 0, unchanged: count }]);
  const { stdout } = await askHere('export', 'Many');
  expect(stdout.trim().split('\n')).toHaveLength(count);
});

test('a long number in a cell keeps its digits, and a repeat finds its row again', async () => {
  const file = await write(
    'cell.csv',
    'question,answer\n"{""id"": 12345678901234567890}",x\n"{""id"": 12345678901234567891}",x\n',
  );
  const args = ['import', file, '--project', 'Support', '--testset', 'Long numbers'];
  const report = await askJson(...args);
  expect(report).toMatchObject({ testsets: [{ created: 2 }], losses: [] });
  const { stdout } = await askHere('export', 'Long numbers');
  expect(stdout).toContain('{"id":12345678901234567890}');
  expect(stdout).toContain('{"id":12345678901234567891}');
  expect((await askJson(...args)).testsets).toMatchObject([{ created: 0, unchanged: 2 }]);
});

test('--mode sync deletes the testcases that the file no longer has', async () => {
  const file = await write('sync.csv', 'id,question,answer\n1,a,b\n2,c,d\n');
  const args = ['import', file, '--project', 'Support', '--key', 'id', '--mode', 'sync'];
  await askJson(...args);
  await write('sync.csv', 'id,question,answer\n2,c,changed\n3,e,f\n');
  expect((await askJson(...args, '--dry-run')).testsets).toMatchObject([
    { created: 1, updated: 1, deleted: 1 },
  ]);
  expect((await askJson(...args)).testsets).toMatchObject([
    { isNew: false, created: 1, updated: 1, unchanged: 0, deleted: 1 },
  ]);
});

test('a damaged file and an unknown format are told with the remedy, and nothing is stored', async () => {
  const damaged = await ask(
    'import',
    await write('cut.jsonl', '{"a":1}\n{"a":'),
    '--project',
    'Support',
  );
  expect(damaged).toMatchObject({ exitCode: 2, stdout: '' });
  expect(damaged.stderr).toContain('cut.jsonl, line 2');
  const elsewhere = await askHere(
    'import',
    await write('rows.csv', 'a,b\n1,2\n'),
    '--project',
    'Nope',
  );
  expect(elsewhere.stderr).toMatch(/^There is no project "Nope"\. .* add --create-project\.\n$/);
  const unknown = await askHere('import', await write('picture.bin', '\u0001\u0002'));
  expect(unknown.stderr).toContain('name it with --as');
  expect((await askHere('import', join(folder, 'none.csv'))).stderr).toContain('is not there');
  expect((await askHere('export', 'cut')).exitCode).toBe(2);
});
