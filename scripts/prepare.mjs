// What stands between a fresh clone and a program of it: the packages of the lockfile, and the
// build. Plain JavaScript without imports from packages: nothing is installed yet.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Installs what the lockfile says, unless that is done. Ends the process when it cannot. Not by
 * `npm ci`: that refuses a lockfile which lacks an optional package for some other platform, as one
 * made behind a registry without it does.
 */
export async function install() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const lockfile = join(root, 'package-lock.json');
  // By what they say, and not by their times: git gives a lockfile that nobody changed the time of
  // its checkout.
  const difference = () =>
    differenceFromLockfile(readFileSync(lockfile, 'utf8'), readFileSync(installed, 'utf8'));
  if (existsSync(installed) && !difference()) return;
  process.stderr.write('Installing packages …\n');
  // Its words go to the terminal as they come; a registry that is silent is given up after a
  // minute, and not after ten.
  const patience = [
    '--fetch-timeout=30000',
    '--fetch-retries=1',
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=5000',
  ];
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier'];
  const { passed } = await step(
    'npm',
    ['install', '--no-save', '--ignore-scripts', ...quiet, ...patience],
    { stdio: ['ignore', 2, 2] },
  );
  if (!passed)
    fail(
      'The packages could not be installed: npm says above why. Without a way to the registry, name one that can be reached ' +
        '(npm config set registry <url>) or a proxy (npm config set https-proxy <url>), and try again.',
    );
  const different = difference();
  if (!different) return;
  rmSync(installed);
  fail(
    `What npm installed is not what package-lock.json says: ${different}. Remove node_modules, and try again.`,
  );
}

/**
 * The first package that was installed in another version, or with other bytes, than the lockfile
 * says; undefined when all is as it says.
 */
export function differenceFromLockfile(lockfile, installed) {
  const [wanted, found] = [lockfile, installed].map((text) => JSON.parse(text).packages);
  for (const [path, { version, integrity, optional, link }] of Object.entries(found)) {
    const entry = wanted[path];
    // An optional package of this platform may be missing in a lockfile that was made behind a
    // registry without it.
    if (link || (!entry && optional)) continue;
    if (!entry) return `${path} is not in it`;
    if (entry.version !== version) return `${path} is ${version} in place of ${entry.version}`;
    if (entry.integrity !== undefined && entry.integrity !== integrity)
      return `${path} has other bytes`;
  }
  const missing = Object.entries(wanted).find(
    ([path, { optional, peer }]) =>
      path.startsWith('node_modules/') && !optional && !peer && !found[path],
  );
  return missing && `${missing[0]} is missing`;
}

/**
 * Builds every package that a process or a worker thread is made of, the bundles of the programs,
 * the console's pages, and the packages for clients.
 */
export async function build() {
  const packages = await step(process.execPath, [tool('typescript', 'bin/tsc'), '-b', root]);
  if (!packages.passed) return packages;
  const programs = await buildPrograms();
  if (!programs.passed) return programs;
  const pages = await buildPages('console', [
    'src',
    'index.html',
    'package.json',
    'vite.config.ts',
    '../scripts/bundled-licenses.mjs',
    '../shared/client',
    '../shared/comparison',
    '../shared/import',
    '../shared/json',
  ]);
  if (!pages.passed) return pages;
  const ofSdk = ['src', 'package.json', 'vite.config.ts', 'README.md', '../python'];
  const bundled = [
    'cli',
    'shared/client',
    'shared/comparison',
    'shared/contracts',
    'shared/import',
    'shared/json',
    'shared/runtime',
    'engines/evaluators',
    'engines/json-schema',
    'engines/statistics',
  ];
  return buildPages(
    'sdk/typescript',
    [
      ...ofSdk,
      ...bundled.map((name) => `../../${name}`),
      '../../package.json',
      '../../LICENSE',
      '../../scripts/bundled-licenses.mjs',
      '../../scripts/sdk.mjs',
    ],
    async () => (await import('./sdk.mjs')).packSdk(root),
  );
}

/** Bundles the programs of all packages. */
function buildPrograms() {
  const packages = ['shared', 'engines', 'services', 'gateway', 'mcp', 'local', 'cli'];
  const scripts = ['bundle', 'bundled-licenses', 'programs'].map((name) => `scripts/${name}.mjs`);
  return unlessBuilt({
    folder: root,
    sources: ['package.json', ...packages, 'examples', 'sdk/typescript', ...scripts],
    make: () => step(process.execPath, [join(root, 'scripts/bundle.mjs')]),
  });
}

/** Bundles what vite is to bundle of a folder. */
function buildPages(name, sources, finish = async () => undefined) {
  const folder = join(root, name);
  return unlessBuilt({
    folder,
    sources,
    make: async () => {
      const built = await step(process.execPath, [tool('vite', 'bin/vite.js'), 'build', folder], {
        env: { ...process.env, NODE_ENV: 'production' },
      });
      if (built.passed) await finish();
      return built;
    },
  });
}

/** Makes what a folder is to hold, unless that was done of these very sources. */
async function unlessBuilt({ folder, sources, make }) {
  const builtFile = join(folder, 'dist', '.sources');
  const hash = sourcesHash([...sources, relative(folder, join(root, 'package-lock.json'))], folder);
  if (existsSync(builtFile) && readFileSync(builtFile, 'utf8') === hash)
    return { passed: true, output: '' };
  const made = await make();
  if (made.passed) writeFileSync(builtFile, hash);
  return made;
}

function sourcesHash(sources, folder) {
  const hash = createHash('sha256');
  for (const file of sources.flatMap((source) => filesIn(join(folder, source))))
    hash.update(file.slice(root.length)).update(readFileSync(file));
  return hash.digest('hex');
}

/** The file itself, or those of a folder that are sources. */
function filesIn(path) {
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { withFileTypes: true })
    .filter(({ name }) => !/^(dist|node_modules|test|__pycache__|\..*)$|\.tsbuildinfo$/.test(name))
    .flatMap(({ name }) => filesIn(join(path, name)))
    .sort();
}

/** A program of an installed package, to be run by node. */
export const tool = (name, path) => join(root, 'node_modules', name, path);

/**
 * A child that ends with this process: a signal here is passed on, to the child's own children too,
 * and ends what would have come next.
 */
export function step(
  command,
  args,
  { stdio = ['ignore', 'pipe', 'pipe'], env = process.env, onMessage } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio, env, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream?.on('data', (chunk) => (output += chunk));
    if (onMessage) child.on('message', onMessage);
    let stopping = false;
    const pass = (signal) => {
      stopping = true;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // All of them have ended already.
      }
    };
    process.on('SIGINT', pass).on('SIGTERM', pass);
    child.on('error', (error) => fail(`${command} cannot be run: ${error.message}`));
    child.on('close', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      if (stopping || signal === 'SIGINT' || signal === 'SIGTERM') process.exit(1);
      resolve({ passed: code === 0, output });
    });
  });
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
