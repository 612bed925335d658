import { type ChildProcess, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sharedInProcess } from '@assay/testing/sharing';
import { root } from '../imports.ts';
import { run } from './packages.ts';

export type Language = 'TypeScript' | 'Python';

/** The end of a script, and all that it printed. */
export interface ScriptEnd {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A script under way. */
export interface Script {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<ScriptEnd>;
}

/** Folders into which the packages of a server are installed, and what runs in them. */
export interface Clients extends AsyncDisposable {
  folder: string;
  environment: Record<string, string>;
  /** Starts a script with the environment of the installation. */
  start(language: Language, code: string, environment?: Record<string, string>): Promise<Script>;
  run(language: Language, code: string, environment?: Record<string, string>): Promise<ScriptEnd>;
  /** Runs a command in the folder. */
  command(words: string[], environment?: Record<string, string>): Promise<ScriptEnd>;
}

export const python = 'python3';

let pythonFound: Promise<boolean> | undefined;

/** Whether there is a Python with pip; the first file of a process that asks finds it out. */
export function hasPython(): Promise<boolean> {
  pythonFound ??= run(python, ['-m', 'pip', '--version']).then(
    () => true,
    () => false,
  );
  return pythonFound;
}

/** Where each package is installed, or is going to be. */
const packagesOfProcess = sharedInProcess(
  async () => {
    const [TypeScript, Python] = [await newFolder(), await newFolder()];
    return { TypeScript, Python, installed: new Set<Language>() };
  },
  async ({ TypeScript, Python }) => {
    for (const folder of [TypeScript, Python]) await rm(folder, { recursive: true });
  },
);
const newFolder = () => mkdtemp(join(tmpdir(), 'assay-clients-'));
/** Nobody listens on this port. */
const noRegistry = 'http://127.0.0.1:9/';

/**
 * A folder of its own with the packages as users install them from a running server. The first file
 * of a process that asks installs them, from its server; the others get a copy.
 */
export async function installClients({
  url,
  key,
  languages,
}: {
  url: string;
  key: string;
  languages: Language[];
}): Promise<Clients> {
  const folder = await newFolder();
  const { PATH = '', HOME = '' } = process.env;
  const environment = {
    PATH,
    HOME,
    ASSAY_URL: url,
    ASSAY_API_KEY: key,
    PYTHONPATH: join(folder, 'python'),
    PYTHONDONTWRITEBYTECODE: '1',
    NO_COLOR: '1',
    npm_config_registry: noRegistry,
    npm_config_cache: join(folder, 'npm-cache'),
  };
  const { installed, ...folders } = await packagesOfProcess();
  for (const language of languages) {
    const source = folders[language];
    if (!installed.has(language)) await install(language, source, url);
    installed.add(language);
    // Times too: by them Python knows what it has compiled.
    await cp(source, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
  }
  let scripts = 0;

  const start: Clients['start'] = async (language, code, own = {}) => {
    const isPython = language === 'Python';
    const file = join(folder, `script-${++scripts}.${isPython ? 'py' : 'mjs'}`);
    await writeFile(file, code);
    return watch(
      spawn(isPython ? python : process.execPath, [file], {
        cwd: folder,
        env: { ...environment, ...own },
      }),
    );
  };
  return {
    folder,
    environment,
    start,
    run: async (...given) => (await start(...given)).ended,
    command: ([program, ...words], own = {}) =>
      watch(spawn(program!, words, { cwd: folder, env: { ...environment, ...own } })).ended,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** Installs a package, which needs no registry for it. */
async function install(language: Language, folder: string, url: string): Promise<void> {
  await using registry = await nothingAsRegistry();
  const { PATH = '', HOME = '' } = process.env;
  const npm = {
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, 'npm-cache'),
  };
  const options = { cwd: folder, env: { PATH, HOME, ...npm } };
  if (language === 'TypeScript') {
    await writeFile(join(folder, 'package.json'), '{ "name": "user", "type": "module" }');
    await run('npm', ['install', '--no-audit', '--no-fund', `${url}/sdk/assay.tgz`], options);
  } else {
    const { packages } = (await (await fetch(`${url}/sdk/`)).json()) as {
      packages: { name: string }[];
    };
    const { name } = packages.find((each) => each.name.endsWith('.whl'))!;
    const quiet = ['--disable-pip-version-check', '--no-cache-dir', '--quiet', '--quiet'];
    await run(
      python,
      [
        ...['-m', 'pip', 'install', '--no-deps', '--no-index', ...quiet],
        ...['--target', join(folder, 'python'), `${url}/sdk/${name}`],
      ],
      options,
    );
  }
  if (registry.asked.length > 0)
    throw new Error(`The packages need a registry: ${registry.asked.join(', ')}`);
}

/** Compiles a file as a project of users does that is strict: the exit code, and what is told. */
export async function compile(clients: Clients, name: string, code: string) {
  await writeFile(join(clients.folder, name), code);
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022', name];
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const end = await clients.command([process.execPath, tsc, ...options]);
  return [end.code, end.stdout];
}

/** A package registry that has nothing, and keeps what it is asked for. */
export async function nothingAsRegistry() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url!);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const stop = () => void server.close();
  return {
    url: `http://127.0.0.1:${port}/`,
    asked,
    stop,
    [Symbol.asyncDispose]: async () => stop(),
  };
}

function watch(child: ChildProcess): Script {
  let [stdout, stderr] = ['', ''];
  child.stdout!.on('data', (chunk) => (stdout += chunk));
  child.stderr!.on('data', (chunk) => (stderr += chunk));
  const ended = new Promise<ScriptEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}

/** A folder of tests with the vitest of this repository, which no registry has to give. */
export async function writeVitestProject(
  clients: Clients,
  tests: Record<string, string>,
): Promise<string[]> {
  const folder = join(clients.folder, 'vitest-project');
  await mkdir(folder);
  const vitest = join(root, 'node_modules/vitest');
  for (const [name, test] of Object.entries(tests)) await writeFile(join(folder, name), test);
  await writeFile(
    join(folder, 'vitest.config.mjs'),
    `export default { server: { fs: { strict: false } }, resolve: { alias: [{ find: /^vitest$/, replacement: ${JSON.stringify(join(vitest, 'dist/index.js'))} }] }, test: { server: { deps: { inline: ['assay'] } } } };\n`,
  );
  return [
    process.execPath,
    join(vitest, 'vitest.mjs'),
    'run',
    '--root',
    folder,
    '--reporter=verbose',
  ];
}
