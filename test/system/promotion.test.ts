import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commandsAt } from '../../cli/test/command.ts';
import { both, createProjectIn, resultOf, script, upper } from './client-scripts.ts';
import { type Clients, hasPython, installClients, type Language } from './clients.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';

/** What takes the place of the baseline and of the production version, by packages and command. */
const withPython = (await hasPython()) || Boolean(process.env.CI);
const languages: Language[] = withPython ? ['TypeScript', 'Python'] : ['TypeScript'];

let assay: SharedInstallation;
let clients: Clients;
let commands: ReturnType<typeof commandsAt>;

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages });
  commands = commandsAt({ url: assay.url, key: assay.key, folder: clients.folder });
});
afterAll(() => clients[Symbol.asyncDispose]());

async function placesOf(project: Awaited<ReturnType<typeof createProjectIn>>) {
  const testset = (await assay.call('GET', `/testsets/${project.testset.id}`)).body;
  const [system] = (await assay.call('GET', `/projects/${project.id}/systems`)).body.data;
  return {
    baselineRunId: testset.baselineRunId,
    production: system.productionVersion.config,
  };
}

const wrong = both("return { answer: 'no' };", 'return {"answer": "no"}');
const asked = (version: number) =>
  both(
    `config: { v: ${version} }, setBaseline: true, promote: true, gate: { minPassRate: 0.9 },`,
    `config={"v": ${version}}, set_baseline=True, promote=True, gate={"min_pass_rate": 0.9},`,
  );

describe.each(languages)('evaluate in %s', (language) => {
  const evaluate = (name: string, more = {}, system = upper) =>
    clients.run(language, script(language, name, { more, system }));

  test('says before its first call that nothing scores it, and how to make a system', async () => {
    const name = `${language} needs`;
    const project = await createProjectIn(assay, name);
    const named = script(language, name, {
      more: both("systemName: 'Chat',", 'system_name="Chat",'),
    });
    const unscored = script(language, name, {}).replace(/metrics(: |=)\[["']Same["']\], /, '');
    for (const [code, sentence] of [
      [
        named,
        /^There is no system "Chat"\. There is .* To make it, give `config`, too, such as \{/,
      ],
      [
        unscored,
        /^Nothing scores this evaluation: give `metrics`, such as \["Same"\], or `scores`/,
      ],
    ] as const) {
      const end = await clients.run(language, code);
      expect([end.code, end.stdout]).toEqual([2, '']);
      expect(end.stderr).toMatch(sentence);
    }
    expect(await project.runs()).toEqual([]);
  });

  test('makes a run that passes the baseline, and its version the production version; one that fails takes no place', async () => {
    const name = `${language} promotes`;
    const project = await createProjectIn(assay, name);
    await evaluate(name, both('config: { v: 1 },', 'config={"v": 1},'));
    const passed = await evaluate(name, asked(2));
    expect([passed.code, resultOf(passed)], passed.stderr).toEqual([0, '["passed",0,24,0]']);
    expect(passed.stdout).toContain('The run is the baseline of "Questions" now.');
    expect(passed.stdout).toContain(
      '"Version 2" is the production version of "Default system" now.',
    );
    const baselineRunId = (await project.runs())[0]!.id;
    const places = { baselineRunId, production: { v: 2 } };
    expect(await placesOf(project)).toEqual(places);
    const failed = await evaluate(name, asked(3), wrong);
    expect(failed.code, failed.stderr).toBe(1);
    expect(failed.stdout).toContain(
      'The baseline stays as it was: only a result that passes takes its place.',
    );
    expect(await placesOf(project)).toEqual(places);
  });

  test('refuses what could take no place before the system is called', async () => {
    const name = `${language} refuses`;
    const project = await createProjectIn(assay, name);
    const without = await evaluate(name, both('promote: true,', 'promote=True,'));
    expect([without.code, without.stderr]).toEqual([
      2,
      expect.stringContaining('this run has none: give `config`.'),
    ]);
    const part = await evaluate(
      name,
      both('setBaseline: true, limit: 3,', 'set_baseline=True, limit=3,'),
    );
    expect([part.code, part.stderr]).toEqual([
      2,
      expect.stringContaining('needs all of the testset: leave out `limit`'),
    ]);
    expect(await project.runs()).toEqual([]);
  });
});

test('`assay baseline` and `assay promote` take a run by its name, and say what was there before', async () => {
  const name = 'By command';
  const project = await createProjectIn(assay, name);
  const evaluate = (version: number) =>
    clients.run(
      'TypeScript',
      script('TypeScript', name, {
        more: both(`config: { v: ${version} }, name: 'Run ${version}',`, ''),
      }),
    );
  await evaluate(1);
  await evaluate(2);
  const [second, first] = (await project.runs()).map(({ id }) => id);
  const of = ['--project', name];
  expect(await commands.askJson('baseline', 'Run 1', ...of)).toMatchObject({
    run: { id: first, name: 'Run 1' },
    previousRunId: null,
  });
  const baseline = await commands.ask('baseline', 'Run 2', ...of);
  expect([baseline.exitCode, baseline.stderr]).toEqual([
    0,
    'The run "Run 2" is the baseline of "Questions" now; before it was "Run 1".\n',
  ]);
  const promoted = await commands.ask('promote', 'Run 2', ...of);
  expect([promoted.exitCode, promoted.stderr]).toEqual([
    0,
    '"Version 2" is the production version of "Default system" now; before it was "Version 1".\n',
  ]);
  expect(await placesOf(project)).toEqual({ baselineRunId: second, production: { v: 2 } });
  const unknown = await commands.ask('promote', 'Run 3', ...of);
  expect([unknown.exitCode, unknown.stderr]).toEqual([2, expect.stringContaining('"Run 2"')]);
});

test('`assay promote` says of a run without a version what it lacks', async () => {
  const name = 'No version';
  const project = await createProjectIn(assay, name);
  const { id } = (
    await assay.call('POST', `/projects/${project.id}/runs`, {
      testsetId: project.testset.id,
      metricIds: [],
    })
  ).body;
  const { exitCode, stderr } = await commands.ask('promote', id);
  expect([exitCode, stderr]).toEqual([
    2,
    `The run ${id} names no version of a system: make runs with a version, as evaluate does with \`config\`.\n`,
  ]);
});
