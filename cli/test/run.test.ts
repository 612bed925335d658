import type { ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { runAssay } from './command.ts';
import { runInFolder, runInProcess } from './in-process.ts';
import { pushProject } from './pushed-project.ts';

let assay: SharedInstallation;
let folder: string;
let count = 0;

const ask = (args: string[], environment: Record<string, string> = {}) =>
  runAssay(args, {
    folder,
    environment: {
      ASSAY_URL: assay.url,
      ASSAY_API_KEY: assay.key,
      XDG_CONFIG_HOME: folder,
      ...environment,
    },
  });

/** The same without a process, for what ends before the evaluation begins: the package writes its report itself. */
const askHere = (args: string[]) => runInFolder(args, { ...assay, folder });

const write = (file: string, text: string) => writeFile(join(folder, file), text);

/** Puts another system, and more members, into the evaluation of `assay init`. */
async function evaluation(system: string, more = ''): Promise<void> {
  const text = await readFile(join(folder, 'assay.yaml'), 'utf8');
  await write('assay.yaml', text.replace(/ {4}system: [\s\S]*$/, `    system: ${system}\n${more}`));
}

beforeAll(async () => {
  assay = await shareInstallation();
});
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-run-'));
  await pushProject({ ...assay, folder, name: `Run ${++count}` });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the example of init runs as it is, and the gate of an evaluation is the exit code', async () => {
  const first = await ask(['run', 'example', '--config', 'v=1']);
  expect([first.exitCode, first.stdout], first.stderr).toEqual([
    0,
    expect.stringMatching(/^Run \d · Questions: 3 records\n[\s\S]*Same answer +3 +100\.0 %/),
  ]);
  await write('answer.mjs', "export default () => ({ answer: 'no' });\n");
  await evaluation(
    '{ module: answer.mjs }',
    '    gate: { baseline: production, maxRegression: 0.5 }\n',
  );
  const worse = await ask(['run', '--config', 'v=2']);
  expect(worse.exitCode, worse.stderr).toBe(1);
  expect(worse.stderr).toMatch(
    /"Same answer": this run is 1 lower, and maxRegression allows 0\.5\./,
  );
  const json = await ask(['run', '--limit', '2', '--json', '--config', 'v=2']);
  expect(JSON.parse(json.stdout)).toMatchObject([{ records: 2, outcome: 'worse' }]);
});

test('a byte order mark before the answer of a command is no part of it', async () => {
  await write(
    'marked.mjs',
    `import { createInterface } from 'node:readline';
process.stdout.write('\\uFEFF');
for await (const line of createInterface(process.stdin))
  console.log(JSON.stringify({ id: JSON.parse(line).id, outputs: { answer: 'Rome' } }));
`,
  );
  await evaluation(`{ command: [${JSON.stringify(process.execPath)}, marked.mjs] }`);
  const { exitCode, stdout, stderr } = await ask(['run', '--json']);
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('no answer to a call')]);
  expect(JSON.parse(stdout)).toMatchObject([{ records: 3 }]);
});

test('a command is one process that is kept; where it crashes, that is told and it is started again', async () => {
  await write(
    'system.mjs',
    `import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
appendFileSync('starts', 'x');
console.error('hello from the system');
for await (const line of createInterface(process.stdin)) {
  const { id, inputs } = JSON.parse(line);
  if (inputs.question.includes('Norway')) process.exit(3);
  console.log(JSON.stringify({ id, outputs: { answer: 'Rome' } }));
}
`,
  );
  await evaluation(
    `{ command: [${JSON.stringify(process.execPath)}, system.mjs] }`,
    '    concurrency: 1\n',
  );
  const { exitCode, stdout, stderr } = await ask(['run']);
  expect([exitCode, stdout], stderr).toEqual([
    0,
    expect.stringContaining('3 records, on 1 of which the system failed'),
  ]);
  expect(stderr).toContain('hello from the system');
  expect(stderr).toContain(
    'The command ended with exit code 3 before it answered. It is started again for the next call.',
  );
  expect(await readFile(join(folder, 'starts'), 'utf8')).toBe('xx');
});

test('a command that is not there fails its calls in a sentence', async () => {
  await evaluation('{ command: [./nothing] }');
  const { exitCode, stdout, stderr } = await ask(['run']);
  expect([exitCode, stdout], stderr).toEqual([
    2,
    expect.stringContaining('3 records, on 3 of which the system failed'),
  ]);
  expect(stderr).toContain('The command cannot be started: spawn ./nothing ENOENT');
  // Where the command line reads the answer is of no help.
  expect(stderr).not.toMatch(/^ +at /m);
});

test('an address gets the inputs, with headers from the environment', async () => {
  const server = createServer((request, response) => {
    const isAllowed = request.headers.authorization === 'Bearer secret';
    response.writeHead(isAllowed ? 200 : 401).end(JSON.stringify({ answer: 'Oslo' }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await evaluation(
    `{ http: { url: "http://127.0.0.1:${port}/answer", headers: { authorization: "Bearer \${TOKEN}" } } }`,
  );
  const missing = await askHere(['run']);
  expect(missing).toMatchObject({
    exitCode: 2,
    stderr: expect.stringMatching(
      /^assay\.yaml:\d+:\d+: the variable TOKEN of a header is not set\.\n$/,
    ),
  });
  const { exitCode, stdout, stderr } = await ask(['run'], { TOKEN: 'secret' });
  server.close();
  expect(exitCode, stderr).toBe(0);
  expect(stdout).toMatch(/Same answer +3 +33\.3 %/);
});

test('names and modules that are not there are one sentence with their place', async () => {
  expect(await askHere(['run', 'exampel'])).toMatchObject({
    exitCode: 2,
    stderr: 'assay.yaml has no evaluation "exampel": did you mean "example"?\n',
  });
  await evaluation('{ module: none.mjs }');
  expect((await ask(['run'])).stderr).toMatch(
    /^assay\.yaml:\d+:\d+: none\.mjs cannot be loaded: Cannot find module/,
  );
  await evaluation('{ module: answer.mjs, export: other }');
  expect((await askHere(['run'])).stderr).toMatch(/has no function as its export "other"\.\n$/);
});

/** A script that calls the built package. */
async function scriptOf(name: string, body = "({ answer: 'Rome' })"): Promise<void> {
  const packageFolder = join(folder, 'node_modules/assay');
  await mkdir(packageFolder, { recursive: true });
  await write('node_modules/assay/package.json', '{ "type": "module", "exports": "./index.js" }');
  const bundle = fileURLToPath(
    new URL('../../sdk/typescript/dist/bundle/index.js', import.meta.url),
  );
  await write('node_modules/assay/index.js', `export * from ${JSON.stringify(bundle)};\n`);
  await write(
    name,
    `import { evaluate } from 'assay';
const version${name.endsWith('ts') ? ': number' : ''} = 1;
await evaluate('Run ${count}', {
  testset: 'Questions', metrics: ['Same answer'], config: { version },
  system: () => ${body},
});
`,
  );
}

test('a script runs with the options of the command, which ends with its exit code', async () => {
  await scriptOf('support.eval.mjs');
  const { exitCode, stdout, stderr } = await ask(['run', 'support.eval.mjs', '--limit', '2']);
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('Questions: 2 records')]);
  await write('broken.eval.mjs', 'process.exit(1);\n');
  expect((await ask(['run', 'broken.eval.mjs', 'support.eval.mjs'])).exitCode).toBe(1);
  await rm(join(folder, 'node_modules'), { recursive: true });
  expect((await ask(['run', 'support.eval.mjs'])).stderr).toBe(
    `support.eval.mjs cannot import the package: npm install ${assay.url}/sdk/assay.tgz\n`,
  );
});

/** Puts the package where a user's own would be. */
async function installTsx(): Promise<void> {
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  const tsx = fileURLToPath(new URL('../../node_modules/tsx', import.meta.url));
  await symlink(tsx, join(folder, 'node_modules/tsx'));
}

test('a script of TypeScript runs where something can run it, and else says what to install', async () => {
  await scriptOf('support.eval.mts');
  const isNative = Boolean((process.features as { typescript?: unknown }).typescript);
  const bare = await ask(['run', 'support.eval.mts']);
  if (isNative) expect(bare.exitCode).toBe(0);
  else
    expect(bare.stderr).toContain('does not run support.eval.mts: npm install --save-dev tsx, or');
  await installTsx();
  const { exitCode, stdout, stderr } = await ask(['run', 'support.eval.mts']);
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('Questions: 3 records')]);
});

test('a module of TypeScript is loaded where something can load it', async () => {
  await write('answer.mts', "export default (): object => ({ answer: 'Rome' });\n");
  await evaluation('{ module: answer.mts }');
  const isNative = Boolean((process.features as { typescript?: unknown }).typescript);
  const bare = await ask(['run']);
  if (isNative) expect(bare.exitCode).toBe(0);
  else expect(bare.stderr).toContain('does not run answer.mts: npm install --save-dev tsx, or use');
  await installTsx();
  const { exitCode, stdout, stderr } = await ask(['run']);
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringContaining('Questions: 3 records')]);
});

test('production is that of the system that an evaluation names, in a project with several', async () => {
  for (const systemName of ['Search', 'Chat']) {
    await evaluation('{ module: answer.mjs }', `    systemName: ${systemName}\n`);
    expect((await ask(['run', '--config', 'v=1'])).exitCode).toBe(0);
  }
  await write('answer.mjs', "export default () => ({ answer: 'no' });\n");
  await evaluation(
    '{ module: answer.mjs }',
    '    systemName: Chat\n    gate: { baseline: production, maxRegression: 0.5 }\n',
  );
  const { exitCode, stderr } = await ask(['run', '--config', 'v=2']);
  expect(stderr).toMatch(/"Same answer": this run is 1 lower, and maxRegression allows 0\.5\./);
  expect(exitCode).toBe(1);
});

test('--resume answers only the testcases that a run lacks, and ends with its verdict', async () => {
  await write(
    'answer.mjs',
    `import { appendFileSync } from 'node:fs';
export default ({ question }) => {
  appendFileSync('calls', question.includes('Italy') ? 'i' : 'o');
  return { answer: 'Rome' };
};
`,
  );
  const whole = await ask(['run', '--json', '--concurrency', '1', '--config', 'v=1']);
  const [{ runId }] = JSON.parse(whole.stdout);
  const calls = () => readFile(join(folder, 'calls'), 'utf8');
  expect(await calls()).toBe('ioo');
  const records = (await assay.call('GET', `/runs/${runId}/records`)).body.data;
  for (const { id } of records.slice(1)) await assay.call('DELETE', `/records/${id}`);
  const { exitCode, stdout, stderr } = await ask(['run', '--resume', runId]);
  expect([exitCode, stdout], stderr).toEqual([0, expect.stringMatching(/Same answer +3 +33\.3 %/)]);
  expect(await calls()).toBe('ioooo');
});

test('over a part of the testset it makes runs that complete, and names the part', async () => {
  const limited = await ask(['run', '--limit', '2', '--config', 'v=1']);
  expect(limited.stdout, limited.stderr).toContain('The run is on 2 of 3 testcases.');
  const sampled = await ask(['run', '--sample', '1', '--seed', '7', '--json', '--config', 'v=1']);
  const [{ runId }] = JSON.parse(sampled.stdout);
  const watched = await runInProcess(['watch', runId], assay);
  expect(watched.exitCode, watched.stderr).toBe(0);
  const { jsonData } = (
    await assay.call(
      'GET',
      `/testsets/${(await assay.call('GET', `/runs/${runId}`)).body.testsetId}/testcases`,
    )
  ).body.data[0];
  const [[field, value]] = Object.entries(jsonData) as [[string, string]];
  const byData = await ask(['run', '--where', `${field}=${value}`, '--config', 'v=1']);
  expect(byData.stdout, byData.stderr).toMatch(/^The run is on 1 of 3 testcases, \w+ = /m);
  const wrong = await ask(['run', '--where', `${field}=${value}`, '--limit', '1']);
  expect([wrong.exitCode, wrong.stderr]).toEqual([
    2,
    expect.stringContaining('`where` and `keys` say which testcases are meant'),
  ]);
});

test('where every call fails it says so and ends with 2, and --retry-errors makes them again', async () => {
  await write(
    'answer.mjs',
    `import { existsSync } from 'node:fs';
export default () => {
  if (existsSync('down')) throw new Error('model down');
  return { answer: 'Rome' };
};
`,
  );
  await evaluation('{ module: answer.mjs }');
  await write('down', '');
  const down = await ask(['run', '--json', '--config', 'v=1']);
  expect([down.exitCode, down.stderr]).toEqual([
    2,
    expect.stringContaining('Every call of the system failed.'),
  ]);
  const [{ runId }] = JSON.parse(down.stdout);
  await rm(join(folder, 'down'));
  const again = await ask(['run', '--resume', runId, '--retry-errors', '--json']);
  expect([again.exitCode, JSON.parse(again.stdout)], again.stderr).toEqual([
    0,
    [expect.objectContaining({ runId, records: 3, errors: 0 })],
  ]);
  const { numRecords, scoring } = (await assay.call('GET', `/runs/${runId}`)).body;
  expect([numRecords, scoring]).toEqual([3, { expected: 3, scored: 3, failed: 0, pending: 0 }]);
});

test('with --watch a change of a file that it reads runs it again, and of no other', async () => {
  await write('answer.mjs', "export { default } from './words.mjs';\n");
  await write('words.mjs', "export default () => ({ answer: 'no' });\n");
  await write('notes.txt', '');
  await evaluation('{ module: answer.mjs }');
  let child: ChildProcess | undefined;
  let shown = '';
  const ended = runAssay(['run', '--watch', '--watch-path', 'prompts'], {
    folder,
    environment: { ASSAY_URL: assay.url, ASSAY_API_KEY: assay.key, XDG_CONFIG_HOME: folder },
    onStart: (started) => {
      child = started;
      for (const stream of [started.stdout!, started.stderr!])
        stream.on('data', (chunk: string) => (shown += chunk));
    },
  });
  const timesShown = (text: string) => shown.split(text).length - 1;
  await poll('it waits', () => timesShown('Waiting for a change') === 1);
  expect(shown).toMatch(/Same answer +3 +0\.0 %/);
  await write('notes.txt', 'changed');
  await write('words.mjs', "export default () => ({ answer: 'Rome' });\n");
  // It is compared with the run before the change.
  await poll('it has run again', () => /Same answer +3 +0\.0 % +33\.3 %/.test(shown));
  await poll('it waits again', () => timesShown('Waiting for a change') === 2);
  // A folder tells its changes in their order, and the first one is named.
  expect(shown.match(/\S+ changed\./g)).toEqual(['words.mjs changed.']);
  // As a checkout does: the file is away for a moment, and is another one then.
  await rm(join(folder, 'words.mjs'));
  await poll('it has run without the file', () => timesShown('Waiting for a change') === 3);
  await write('words.mjs', "export default () => ({ answer: 'Rome' });\n");
  await poll('it runs with the file again', () => timesShown('Waiting for a change') === 4);
  child!.kill('SIGTERM');
  await ended;
});
