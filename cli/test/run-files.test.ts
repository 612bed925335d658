import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { filesOfRun } from '../src/project/run-files.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-files-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function write(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

const evaluations = (systems: Record<string, string>) =>
  `project: P\nevaluations:\n${Object.entries(systems)
    .map(([name, system]) => `  ${name}: { testset: T, system: ${system} }\n`)
    .join('')}`;

/** The files of a run of the folder, by their paths in it. */
async function filesOf(names: string[] = [], paths: string[] = []) {
  const files = await filesOfRun({
    file: join(folder, 'assay.yaml'),
    names: names.map((name) => (name.includes('.') ? join(folder, name) : name)),
    paths: paths.map((path) => join(folder, path)),
  });
  return [...files].map((path) => relative(folder, path)).sort();
}

test('a module, what it imports, and files that these name are read', async () => {
  await write({
    'assay.yaml': evaluations({ one: '{ module: src/answer.ts }', two: '{ module: other.mjs }' }),
    'src/answer.ts': `import { helper } from './helper.js'; // it's compiled, isn't it?
import '../lib';
export default () => readFile("prompts/answer.txt", 'utf8');`,
    'src/helper.ts': "const { rules } = require('./rules.json');\nimport('./answer.ts');",
    'src/rules.json': '{"file": "notes.txt"}',
    'lib/index.ts': "import 'package';",
    'node_modules/package/index.js': '',
    'prompts/answer.txt': '',
    'other.mjs': '',
    'notes.txt': '',
  });
  const read = ['assay.yaml', 'lib/index.ts', 'prompts/answer.txt'];
  const code = ['src/answer.ts', 'src/helper.ts', 'src/rules.json'];
  expect(await filesOf(['one'])).toEqual([...read, ...code]);
  expect(await filesOf()).toEqual([
    'assay.yaml',
    'lib/index.ts',
    'other.mjs',
    ...read.slice(2),
    ...code,
  ]);
});

test('the files of a command, and what they import in Python, are read', async () => {
  await write({
    'assay.yaml': evaluations({
      one: '{ command: python3 answer.py --prompt=prompt.txt }',
      two: '{ command: [bash, start.sh] }',
    }),
    'answer.py': 'import json, helper\nfrom words.answers import best as answer\nopen("data.csv")',
    'helper.py': 'from . import other',
    'words/answers.py': '',
    'data.csv': '',
    'prompt.txt': '',
    'start.sh': 'exec ./tool "settings.ini"',
    'settings.ini': '',
    'unread.py': '',
  });
  expect(await filesOf()).toEqual([
    ...['answer.py', 'assay.yaml', 'data.csv', 'helper.py', 'prompt.txt'],
    ...['settings.ini', 'start.sh', 'words/answers.py'],
  ]);
});

test('a script is read in place of assay.yaml, and paths that are given are, too', async () => {
  await write({
    'assay.yaml': evaluations({ one: '{ module: answer.mjs }' }),
    'support.eval.mjs': "evaluate('P', { testcases: 'rows.csv' })",
    'rows.csv': '',
    'answer.mjs': '',
    'prompts/one.txt': '',
  });
  const read = ['prompts', 'rows.csv', 'support.eval.mjs'];
  expect(await filesOf(['support.eval.mjs'], ['prompts'])).toEqual(read);
});

test('a file of a project that is not there, or has a mistake, is still waited for', async () => {
  expect(await filesOf()).toEqual(['assay.yaml']);
  await write({ 'assay.yaml': 'project: [' });
  expect(await filesOf()).toEqual(['assay.yaml']);
  await write({ 'assay.yaml': evaluations({ one: '{ module: answer.mjs }' }) });
  expect(await filesOf()).toEqual(['answer.mjs', 'assay.yaml']);
});
