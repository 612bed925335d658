import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { gateOfGitHub, gateOfGitLab } from '../../console/src/text/gate-lines.ts';
import { root } from '../imports.ts';
import { createProjectIn, script, wrong } from './client-scripts.ts';
import { type Clients, installClients, nothingAsRegistry } from './clients.ts';
import { startCodeHost } from './code-host.ts';
import { type SharedInstallation, shareInstallation } from './installation.ts';
import { run } from './packages.ts';

/** The command line as its users have it: fetched from a running server, outside of a clone. */
let assay: SharedInstallation;
let clients: Clients;
const runs = { good: '', bad: '' };

beforeAll(async () => {
  assay = await shareInstallation();
  clients = await installClients({ url: assay.url, key: assay.key, languages: ['TypeScript'] });
  const project = await createProjectIn(assay, 'Support');
  for (const system of [undefined, wrong]) {
    const code = script('TypeScript', 'Support', system ? { system } : {});
    expect((await clients.run('TypeScript', code)).code).toBe(0);
  }
  const [bad, good] = await poll('both runs are completed', async () => {
    const { data } = (await assay.call('GET', `/projects/${project.id}/runs?status=completed`))
      .body;
    return data.length === 2 && data;
  });
  Object.assign(runs, { good: good.id, bad: bad.id });
});
afterAll(() => clients[Symbol.asyncDispose]());

const gate = () => ['gate', '--baseline', runs.good, '--candidate', runs.bad];
const command = (...words: string[]) => clients.command(['node_modules/.bin/assay', ...words]);

test('npm installs the command with the package, and it runs without anything else', async () => {
  const worse = await command(...gate());
  expect([worse.code, worse.stderr]).toEqual([
    1,
    expect.stringMatching(/^"Same": Worse: the candidate is 100\.0 points lower /),
  ]);
  await writeFile(join(clients.folder, 'more.csv'), 'id,question,answer\n1,a,A\n2,b,B\n');
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect((await command('--version')).stdout).toBe(`${version}\n`);
  const imported = await command('import', 'more.csv', '--project', 'Support', '--key', 'id');
  expect([imported.code, imported.stdout], imported.stderr).toEqual([
    0,
    expect.stringMatching(/testcases: 2 new/),
  ]);
});

test('npx runs it from the address of the server, in a folder that has nothing', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'assay-npx-'));
  await using registry = await nothingAsRegistry();
  const env = { ...clients.environment, npm_config_registry: registry.url };
  const words = ['--yes', `${assay.url}/sdk/assay.tgz`, ...gate()];
  const end = await run('npx', words, { cwd: folder, env }).catch((error) => error);
  expect([end.code, end.stdout], end.stderr).toEqual([
    1,
    expect.stringContaining('Outcome: worse (exit 1)'),
  ]);
  expect(registry.asked).toEqual([]);
  await rm(folder, { recursive: true });
});

test('an agent is served by the installed command, which ends with its input', async () => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    },
  };
  await writeFile(join(clients.folder, 'hello.json'), `${JSON.stringify(hello)}\n`);
  const line = 'node_modules/.bin/assay mcp < hello.json';
  const { code, stdout, stderr } = await clients.command(['sh', '-c', line]);
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'assay' } } });
});

test('a project of files is written, stored and evaluated by the installed command', async () => {
  await command('init', '--project', 'Capitals');
  expect((await command('push', '--create-project')).stdout).toContain('testcases: 3 new');
  const end = await command('run');
  expect([end.code, end.stdout], end.stderr).toEqual([
    0,
    expect.stringMatching(/^Capitals · Questions: 3 records\n[\s\S]*100\.0 %/),
  ]);
});

test('the licences of all that was bundled come with it', async () => {
  const { stdout } = await clients.command(['cat', 'node_modules/assay/LICENSES.txt']);
  for (const name of ['commander', 'zod', 'yaml', 'hyparquet', 're2js', 'fzstd'])
    expect(stdout).toMatch(
      new RegExp(`^${name} \\d+\\.\\d+\\.\\d+\n\n[\\s\\S]*(MIT|ISC|Permission)`, 'm'),
    );
});

/** The shell lines of the templates, with a runner's environment. */
function shellOf(file: string): string {
  const template = parse(readFileSync(join(root, file), 'utf8'));
  return template.runs?.steps[0].run ?? template['.assay-gate'].script.join('\n');
}

/** The environment of a job whose change has its comments at this address. */
async function jobOf(file: string, hostUrl: string): Promise<Record<string, string>> {
  const event = join(clients.folder, 'event.json');
  await writeFile(event, JSON.stringify({ pull_request: { number: 7 } }));
  return file.includes('github')
    ? {
        GITHUB_STEP_SUMMARY: join(clients.folder, 'page.md'),
        GITHUB_TOKEN: 'token of the job',
        GITHUB_API_URL: hostUrl,
        GITHUB_REPOSITORY: 'acme/support',
        GITHUB_EVENT_PATH: event,
      }
    : {
        GITLAB_TOKEN: 'token of the project',
        CI_API_V4_URL: `${hostUrl}/api/v4`,
        CI_PROJECT_ID: '42',
        CI_MERGE_REQUEST_IID: '7',
      };
}

/**
 * A PATH whose npx runs the installed command: for a job that repeats what npm has fetched once for
 * the same lines, which takes seconds.
 */
async function pathWithoutNpm(): Promise<string> {
  const folder = join(clients.folder, 'without-npm');
  await mkdir(folder, { recursive: true });
  const program = '#!/bin/sh\nshift 2\nexec node_modules/.bin/assay "$@"\n';
  await writeFile(join(folder, 'npx'), program, { mode: 0o755 });
  return `${folder}:${clients.environment.PATH}`;
}

test.each(['ci/github/action.yml', 'ci/gitlab/assay-gate.yml'])(
  'the shell lines of %s run the gate, leave a report, and keep one comment of the change',
  async (file) => {
    await using registry = await nothingAsRegistry();
    await using host = await startCodeHost();
    const job = await jobOf(file, host.url);
    const gated = async (more: Record<string, string> = {}) => {
      const end = await clients.command(['bash', '-e', '-c', shellOf(file)], {
        npm_config_registry: registry.url,
        BASELINE: runs.good,
        CANDIDATE: runs.bad,
        PROJECT: 'Support',
        MAX_REGRESSION: '0.02',
        WAIT: '60',
        ...job,
        ...more,
      });
      return { code: end.code, stderr: end.stderr };
    };
    const first = await gated();
    expect(first).toEqual({ code: 1, stderr: expect.stringMatching(/ request was made\.$/m) });
    const report = file.includes('github') ? 'page.md' : 'assay-gate.md';
    expect(readFileSync(join(clients.folder, report), 'utf8')).toMatch(
      /^### Worse: the candidate does not pass/,
    );
    const [theirs, own] = host.comments;
    expect([theirs!.body, host.comments.length]).toEqual(['Looks good.', 2]);
    expect(own!.body).toMatch(
      /^<!-- assay-gate -->\n### Worse: the candidate does not pass\n\n&#34;Same&#34;&#58; Worse&#58; [\s\S]*\| Same \|[\s\S]*The largest changes:[\s\S]*\/compare\?/,
    );
    const PATH = await pathWithoutNpm();
    expect((await gated({ PATH })).stderr).toMatch(/ request was brought up to date\.$/m);
    expect(host.comments).toHaveLength(2);
    host.refuse();
    const refused = await gated({ PATH });
    expect(refused).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /No comment was written: Git(Hub|Lab) answered 403 .*(GITHUB|GITLAB)_TOKEN must hold/,
      ),
    });
    expect(registry.asked).toEqual([]);
  },
);

test.each([
  ['GitHub', ({ jobs }: Workflow) => jobs!.assay.steps.at(-1)!.run!, gateOfGitHub],
  ['GitLab', ({ assay }: Workflow) => assay!.script.at(-1)!, gateOfGitLab],
])(
  'the lines for %s that the console shows beside a new key run the gate',
  async (...[host, lineOf, lines]) => {
    await assay.call('PATCH', `/runs/${runs.good}`, { labels: { branch: 'main' } });
    await assay.call('PATCH', `/runs/${runs.bad}`, { labels: { branch: 'slower' } });
    await using registry = await nothingAsRegistry();
    await using codeHost = await startCodeHost();
    const line = lineOf(parse(lines(assay.url)));
    const end = await clients.command(['bash', '-e', '-c', line], {
      npm_config_registry: registry.url,
      BRANCH: 'slower',
      CI_COMMIT_REF_NAME: 'slower',
      ...(await jobOf(host.toLowerCase(), codeHost.url)),
    });
    expect(end.code, end.stderr).toBe(1);
    expect(codeHost.comments.at(-1)!.body).toContain('Worse: the candidate does not pass');
  },
);

/** The parts of a pipeline that have a command. */
interface Workflow {
  jobs?: { assay: { steps: { run?: string }[] } };
  assay?: { script: string[] };
}
