import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  both,
  createProjectIn,
  noTrace,
  numTestcases,
  recordsOf,
  script,
  upper,
} from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';
import { pythonPackages } from './packages.ts';

/** Ctrl-C in an evaluation of both packages, and in a notebook's interpreter. */
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
 * Answers the first question at once, and the others when there is a file of this name: one after
 * the other, so that whoever waits for some of them alone loses the last.
 */
const waitsFor = (file: string) =>
  both(
    `console.log('BEGUN'); while (inputs.question !== 'q0' && !existsSync('${file}')) await new Promise((resolve) => setTimeout(resolve, 20)); await new Promise((resolve) => setTimeout(resolve, 200 * (Number(inputs.question.slice(1)) % 5))); ${upper.TypeScript}`,
    `print("BEGUN", flush=True)
    import os
    while inputs["question"] != "q0" and not os.path.exists("${file}"): time.sleep(0.02)
    time.sleep(0.2 * (int(inputs["question"][1:]) % 5))
    ${upper.Python}`,
  );

const underWay = 4;
const options = (more: string) =>
  both(`concurrency: ${underWay}, ${more}`, `concurrency=${underWay}, ${more}`);

describe.each(languages)('Ctrl-C in %s', (language) => {
  const code = (name: string, file: string, more = '') =>
    script(language, name, { system: waitsFor(file), more: options(more) }).replace(
      'import { appendFileSync }',
      'import { appendFileSync, existsSync }',
    );

  test('keeps the calls that are under way, pauses the run, and its sentence resumes it', async () => {
    const name = `${language} interrupted`;
    const project = await createProjectIn(assay, name);
    const interrupted = await clients.start(language, code(name, `${language}-go`));
    await poll('a record is stored', async () => (await project.runs())[0]?.numRecords === 1);
    await poll(
      'the next calls are under way',
      () => interrupted.stdout().split('BEGUN').length - 1 === 1 + underWay,
    );
    interrupted.child.kill('SIGINT');
    await poll('it says so', () => interrupted.stderr().includes('Pausing the run'));
    await writeFile(join(clients.folder, `${language}-go`), '');
    const end = await interrupted.ended;
    expect(end.code, end.stderr).toBe(130);
    expect(end.stderr).toMatch(noTrace);
    const [run] = await project.runs();
    expect(run).toMatchObject({ isPaused: true, numRecords: 1 + underWay });
    const command = /^To go on: (.*)$/m.exec(end.stderr)![1]!;
    const resumed = await clients.command(['bash', '-c', command]);
    expect(resumed.code, resumed.stderr).toBe(0);
    expect(await recordsOf(assay, run!.id)).toHaveLength(numTestcases);
    expect((await project.runs())[0]!.isPaused).toBe(false);
  });

  test('a second time ends at once, and says how to go on, too', async () => {
    const name = `${language} twice`;
    const project = await createProjectIn(assay, name);
    const interrupted = await clients.start(language, code(name, 'never'));
    await poll('a record is stored', async () => (await project.runs())[0]?.numRecords === 1);
    interrupted.child.kill('SIGINT');
    await poll('it says so', () => interrupted.stderr().includes('Pausing the run'));
    interrupted.child.kill('SIGINT');
    const end = await interrupted.ended;
    expect(end.code, end.stderr).toBe(130);
    expect(end.stderr).toMatch(noTrace);
    expect(end.stderr).toContain(`To go on: ASSAY_RESUME=${(await project.runs())[0]!.id} `);
  });

  test('stores results that wait for the type of an own score', async () => {
    const name = `${language} held`;
    const project = await createProjectIn(assay, name);
    const scores = both('scores: { Mine: () => null },', 'scores={"Mine": lambda outputs: None},');
    const interrupted = await clients.start(
      language,
      code(name, 'never', scores[language]).replace(
        language === 'Python' ? 'def system(inputs, context):' : 'async (inputs, context) => {',
        language === 'Python'
          ? 'def system(inputs, context):\n    print("CALLED", flush=True)'
          : 'async (inputs, context) => { console.log("CALLED");',
      ),
    );
    await poll(
      'the first call has ended and another began',
      () => interrupted.stdout().split('CALLED').length - 1 > underWay,
    );
    expect(await project.runs()).toEqual([]);
    interrupted.child.kill('SIGINT');
    const end = await interrupted.ended;
    expect(end.code, end.stderr).toBe(130);
    expect((await project.runs())[0]).toMatchObject({ isPaused: true, numRecords: 1 });
  });
});

test('Ctrl-C in a notebook leaves the interpreter alive, with its own Ctrl-C', async (context) => {
  const ipython = withPython && (await pythonPackages('ipython==8.31.0'));
  if (!ipython) return context.skip('Python or its package registry cannot be reached.');
  const name = 'Notebook';
  const project = await createProjectIn(assay, name);
  const cell = script('Python', name, { system: waitsFor('never'), more: options('') });
  const code = `
from IPython.core.interactiveshell import InteractiveShell
shell = InteractiveShell()
shell.run_cell(${JSON.stringify(cell)})
shell.run_cell("import signal; print('ALIVE', signal.getsignal(signal.SIGINT) is signal.default_int_handler)")
`;
  const path = [join(clients.folder, 'python'), ipython].join(':');
  const interrupted = await clients.start('Python', code, { PYTHONPATH: path });
  await poll('a record is stored', async () => (await project.runs())[0]?.numRecords === 1);
  interrupted.child.kill('SIGINT');
  await poll('it says so', () => interrupted.stderr().includes('Pausing the run'));
  interrupted.child.kill('SIGINT');
  const end = await interrupted.ended;
  expect([end.code, end.stdout], end.stderr).toEqual([0, expect.stringContaining('ALIVE True')]);
  const [run] = await project.runs();
  expect(end.stderr).toContain(`To go on: evaluate again with resume="${run!.id}".`);
});
