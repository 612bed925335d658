import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@assay/client/client';
import { poll } from '@assay/testing/poll';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { runAssay } from './command.ts';
import { runInFolder } from './in-process.ts';
import { pushProject, writeProject } from './pushed-project.ts';

let assay: SharedInstallation;
let client: Client;
let folder: string;
let count = 0;
let name: string;

beforeAll(async () => {
  assay = await shareInstallation();
  client = createClient({ url: `${assay.url}/v2`, key: assay.key });
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-project-'));
  name = `Project ${++count}`;
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const ask = (...args: string[]) =>
  runAssay(args, {
    folder,
    environment: { ASSAY_URL: assay.url, ASSAY_API_KEY: assay.key, XDG_CONFIG_HOME: folder },
  });

/** The same without a process. */
const askHere = (...args: string[]) => runInFolder(args, { ...assay, folder });

async function wellDone(asked: ReturnType<typeof ask>) {
  const result = await asked;
  expect(result.exitCode, result.stderr).toBe(0);
  return result;
}
const done = (...args: string[]) => wellDone(ask(...args));
const doneHere = (...args: string[]) => wellDone(askHere(...args));

const write = (file: string, text: string) => writeFile(join(folder, file), text);
const read = (file: string) => readFile(join(folder, file), 'utf8');
async function edit(file: string, from: string, to: string): Promise<void> {
  const text = await read(file);
  expect(text).toContain(from);
  await write(file, text.replace(from, to));
}

const written = () => writeProject({ folder, name });
const pushed = () => pushProject({ ...assay, folder, name });

test('init writes files that push and run as they are, and overwrites nothing', async () => {
  await write('package.json', `{ "name": ${JSON.stringify(name)} }`);
  const { stdout } = await done('init');
  expect(stdout).toBe('assay.yaml\nquestions.jsonl\nanswer.mjs\n');
  expect(await read('assay.yaml')).toContain(`project: "${name}"`);
  await write('answer.mjs', 'mine');
  await rm(join(folder, 'assay.yaml'));
  const again = await ask('init');
  expect(again).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(/^questions\.jsonl is there already, and nothing is overwritten/),
  });
  expect(await read('answer.mjs')).toBe('mine');
});

test('init of a Python project has a system of Python', async () => {
  await write('pyproject.toml', `[project]\nname = "${name}"\n`);
  expect((await done('init')).stdout).toContain('answer.py\n');
  expect(await read('assay.yaml')).toContain('command: python3 answer.py');
});

describe('push', () => {
  test('of a project that is not there says how to make it', async () => {
    await written();
    expect(await askHere('push')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        /^There is no project "Project \d".* add --create-project\.\n$/,
      ),
    });
    const { stdout, stderr } = await doneHere('diff');
    expect(stdout).toBe(
      'Testset "Questions": to be made; testcases: 3 new\nMetric "Same answer": to be made\n',
    );
    expect(stderr).toContain('Nothing was stored');
  });

  test('warns of a field that no testset has at its line of the prompt, and stores the metric', async () => {
    await pushed();
    const warning = /^judge\.jinja:2:4: metrics\.Judge\.prompt: .*expected\.answr/m;
    await write('judge.jinja', 'Is {{ outputs.answer }} the same as\n{{ expected.answr }}?');
    await edit(
      'assay.yaml',
      'evaluations:',
      '  Judge: { type: ai, output: boolean, prompt: judge.jinja }\nevaluations:',
    );
    expect((await doneHere('diff')).stderr).toMatch(warning);
    const { stdout, stderr } = await doneHere('push');
    expect(stdout).toContain('Metric "Judge": new');
    expect(stderr).toMatch(warning);
    expect((await doneHere('push')).stderr).not.toMatch(warning);
  });

  test('stores everything, and a repeat changes nothing', async () => {
    await written();
    expect((await done('push', '--create-project')).stdout).toBe(
      'Testset "Questions": new; testcases: 3 new\nMetric "Same answer": new\n',
    );
    const again = await doneHere('push', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      hasChanges: false,
      testsets: [{ testcases: { created: 0, updated: 0, unchanged: 3 } }],
      metrics: [{ changes: [], isNewVersion: false }],
    });
    expect(again.stderr).toContain('Nothing changes: the server is as the files say.');
  });

  test('follows edits, says which metric gets a new version and which testcases become invalid', async () => {
    await pushed();
    await edit('assay.yaml', 'key: id }', 'key: id, schema: schema.json }');
    await edit('assay.yaml', 'ignoreCase: true', 'ignoreCase: false');
    await edit('questions.jsonl', '"Rome"', '"Roma"');
    await write(
      'schema.json',
      '{ "properties": { "question": {}, "answer": { "enum": ["Roma", "Rome", "Oslo"] } } }',
    );
    const diff = await ask('diff', '--exit-code');
    expect(diff.exitCode).toBe(1);
    expect(diff.stdout).toMatch(
      /^Testset "Questions": schema changes; testcases: 1 changed, 2 unchanged\n {2}1 testcases would become invalid by the schema:\n {2}\S+: \/data\/answer .* but it is "Lima"\.\nMetric "Same answer": a new version; builtin\n$/,
    );
    await doneHere('push');
    expect(await askHere('diff', '--exit-code')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining('3 unchanged'),
    });
  });

  test('makes no project for files that have faults', async () => {
    await written();
    await edit('questions.jsonl', '"id":"capital-no"', '"id":"capital-it"');
    expect((await askHere('push', '--create-project')).exitCode).toBe(2);
    const { stderr } = await askHere('push');
    expect(stderr).toContain(`no project "${name}"`);
  });

  test('with mode: sync deletes what the file does not have, and without it does not', async () => {
    await pushed();
    const [, ...rest] = (await read('questions.jsonl')).split('\n');
    await write('questions.jsonl', rest.join('\n'));
    expect((await doneHere('push')).stderr).toContain('Nothing changes');
    await edit('assay.yaml', 'key: id }', 'key: id, mode: sync }');
    expect((await doneHere('diff')).stdout).toContain('testcases: 2 unchanged, 1 deleted');
    expect((await doneHere('push')).stdout).toContain('testcases: 2 unchanged, 1 deleted');
  });

  test('tells every fault of the files with its place, also those that the server finds, and stores nothing', async () => {
    await pushed();
    await edit('assay.yaml', 'exact_match', 'exactly_match');
    await edit('questions.jsonl', '"id":"capital-no"', '"id":"capital-it"');
    await write('judge.jinja', 'line one\n  {{ outputs.answer');
    await edit(
      'assay.yaml',
      'evaluations:',
      '  Judge: { type: ai, output: boolean, prompt: judge.jinja, guidelines: none.md }\n  Judge 2: { type: ai, output: boolean, prompt: judge.jinja }\nevaluations:',
    );
    const { exitCode, stdout, stderr } = await ask('push');
    expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
    expect(stderr.trimEnd().split('\n').toSorted()).toEqual([
      expect.stringMatching(
        /^assay\.yaml:10:\d+: metrics\.Same answer\.builtin\.name: No evaluator has the name .*exact_match/,
      ),
      expect.stringMatching(/^assay\.yaml:11:\d+: none\.md is not there/),
      expect.stringMatching(
        /^assay\.yaml:5:\d+: testsets\.Questions: questions\.jsonl: A testcase has the key of an earlier one/,
      ),
      expect.stringMatching(
        /^judge\.jinja:2:\d+: metrics\.Judge 2\.prompt has `\{\{` without its `\}\}`\.$/,
      ),
    ]);
    expect((await askHere('diff')).exitCode).toBe(2);
  });

  test('with --preview says what a changed metric makes of a run', async () => {
    await pushed();
    const projects = await client.request('GET', '/projects', { query: { limit: 100 } });
    const { id } = projects.data.find((each) => each.name === name)!;
    const [testset] = (
      await client.request('GET', '/projects/:projectId/testsets', { params: { projectId: id } })
    ).data;
    const [metric] = (
      await client.request('GET', '/projects/:projectId/metrics', { params: { projectId: id } })
    ).data;
    const run = await client.request('POST', '/projects/:projectId/runs', {
      params: { projectId: id },
      body: {
        testsetId: testset!.id,
        metricIds: [metric!.id],
        name: 'Lower',
      },
    });
    for await (const each of client.list('/testsets/:testsetId/testcases', {
      params: { testsetId: testset!.id },
    }))
      await client.request('POST', '/runs/:runId/records', {
        params: { runId: run.id },
        body: {
          testcaseId: each.id,
          inputs: each.inputs,
          expected: each.expected,
          outputs: { answer: String(each.expected.answer).toLowerCase() },
        },
      });
    await poll(
      'the run is scored',
      async () =>
        (await client.request('GET', '/runs/:runId', { params: { runId: run.id } })).status ===
        'completed',
    );
    await edit('assay.yaml', 'ignoreCase: true', 'ignoreCase: false');
    const { stdout } = await doneHere('diff', '--preview', 'Lower');
    expect(stdout).toContain(
      'Preview of "Same answer": 3 records scored; 3 flip; 0.0 % pass, before 100.0 %; it cost $0.0000.',
    );
  });
});

describe('pull', () => {
  test('brings the files up to the server, keeps comments, and a push after it changes nothing', async () => {
    await pushed();
    const original = await read('assay.yaml');
    expect((await doneHere('pull')).stderr).toContain('Nothing changes');
    await edit('assay.yaml', 'ignoreCase: true', 'ignoreCase: false');
    await edit('questions.jsonl', '"Rome"', '"Roma"');
    await doneHere('push');
    await write('assay.yaml', original);
    const refused = await ask('pull');
    expect(refused).toMatchObject({
      exitCode: 2,
      stderr:
        'assay.yaml would be overwritten, and git does not have what is in there: commit it, or give --force.\n',
    });
    expect(await read('assay.yaml')).toBe(original);
    await rm(join(folder, 'questions.jsonl'));
    expect((await doneHere('pull', '--force')).stdout).toBe('questions.jsonl\nassay.yaml\n');
    expect(await read('assay.yaml')).toMatch(/^# What this project[\s\S]*ignoreCase: false/);
    expect(await read('questions.jsonl')).toContain('"Roma"');
    expect((await askHere('diff', '--exit-code')).exitCode).toBe(0);
  });

  test('follows the field of tags in both directions', async () => {
    await pushed();
    await edit('assay.yaml', 'key: id }', 'key: id, tagsField: id }');
    expect((await doneHere('push')).stdout).toContain('Testset "Questions": field of tags changes');
    expect((await askHere('diff', '--exit-code')).exitCode).toBe(0);
    await edit('assay.yaml', 'tagsField: id', 'tagsField: null');
    await doneHere('pull', '--force');
    expect(await read('assay.yaml')).toContain('tagsField: id');
    await edit('assay.yaml', 'tagsField: id', 'tagsField: null');
    await doneHere('push');
    expect((await askHere('diff', '--exit-code')).exitCode).toBe(0);
    await edit('assay.yaml', 'tagsField: null', 'tagsField: answer');
    expect((await askHere('push')).stderr).toContain('must be a field of the metadata');
  });

  test('with --project writes the files of a project that has none here, and a push after it changes nothing', async () => {
    const { id } = await client.request('POST', '/projects', {
      body: {
        name,
        description: '',
      },
    });
    const create = (path: string, body: object) =>
      client.request('POST', path as '/projects', { body: body as never });
    const properties = { question: { type: 'string' }, number: { type: 'string' } };
    for (const testset of ['Questions', '../Ünter: wegs', '日本', 'Twin', 'Twin']) {
      const made = await create(`/projects/${id}/testsets`, {
        name: testset,
        description: '# not a comment',
        jsonSchema: { type: 'object', properties },
        fieldMapping: { inputs: ['question'], expected: [], metadata: ['number'] },
        tagsField: 'number',
      });
      const isNumbered = testset === 'Questions';
      for (const number of ['1', '2'])
        await create(`/testsets/${made.id}/testcases`, {
          items: [
            {
              jsonData: { question: 'Why?', number: isNumbered ? number : '7' },
              key: number,
            },
          ],
        });
    }
    const shape = { outputType: 'boolean', evalType: 'heuristic' };
    await create(`/projects/${id}/metrics`, {
      ...shape,
      name: 'Same: answer',
      builtin: { name: 'exact_match', options: { output: '/answer', expected: '/question' } },
    });
    await create(`/projects/${id}/metrics`, {
      ...shape,
      name: 'By code',
      code: { language: 'typescript', source: 'function evaluate() { return true; }\n' },
    });
    await create(`/projects/${id}/metrics`, {
      name: 'Judge',
      evalType: 'ai',
      outputType: 'float',
      passingThreshold: 0.5,
      promptTemplate: 'Is {{ outputs }} right?',
      guidelines: 'Be strict.',
    });
    const { stdout, stderr } = await done('pull', '--project', name);
    expect(stdout.split('\n').toSorted()).toEqual(
      [
        '',
        'assay.yaml',
        'metrics/by-code.ts',
        'prompts/judge.jinja',
        'prompts/judge.md',
        'questions.jsonl',
        'questions.schema.json',
        'u-nter-wegs.jsonl',
        'u-nter-wegs.schema.json',
        'unnamed.jsonl',
        'unnamed.schema.json',
      ].toSorted(),
    );
    expect(stderr).toContain('2 testsets are called "Twin", and are left out');
    expect(await read('assay.yaml')).toContain('tagsField: number\n    key: number');
    expect((await askHere('diff', '--exit-code')).exitCode).toBe(0);
    expect(await askHere('pull', '--project', name)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(/^assay\.yaml is there already: leave out --project/),
    });
  });

  test('overwrites a file that git has as it is', async () => {
    await pushed();
    const git = (...words: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...words], { cwd: folder });
    git('init', '--quiet');
    const original = await read('questions.jsonl');
    git('add', 'questions.jsonl');
    git('commit', '--quiet', '-m', 'Questions');
    await edit('questions.jsonl', '"Rome"', '"Roma"');
    await doneHere('push');
    await write('questions.jsonl', original);
    expect((await doneHere('pull')).stdout).toBe('questions.jsonl\n');
    await edit('questions.jsonl', '"Roma"', '"Roms"');
    expect((await askHere('pull')).exitCode).toBe(2);
  });
});
