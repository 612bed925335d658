import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readLockfile } from '../dependencies.ts';
import { licenseOfPackage } from '../licenses.ts';
import { billOfMaterials } from './bill-of-materials.ts';

interface ArtifactOptions {
  root: string;
  version: string;
  /** The commit of the release, which the images tell. */
  revision: string;
  /** The address of the sources, which the images tell. */
  source: string | undefined;
  /** The processes that have an image. */
  processes: string[];
  say: (line: string) => void;
}

/**
 * Builds the packages, the images and a bill of materials for each into `release/<version>`, which
 * git ignores, and tells their digests.
 */
export async function makeArtifacts(options: ArtifactOptions): Promise<void> {
  const { root, version, say } = options;
  const folder = join(root, 'release', version);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  say('Building …');
  await node(root, 'scripts/image.mjs', 'build');
  const wheel = `assay-${version}-py3-none-any.whl`;
  copyFileSync(join(root, 'sdk/dist/assay.tgz'), join(folder, `assay-${version}.tgz`));
  copyFileSync(join(root, 'sdk/dist', wheel), join(folder, wheel));
  writeBills(options, folder);
  const images = await buildImages(options);
  const sums = readdirSync(folder).map((name) => `${sha256(join(folder, name))}  ${name}\n`);
  writeFileSync(join(folder, 'SHA256SUMS'), sums.join(''));
  say(`release/${version}:\n${sums.join('')}${images.join('')}`.trimEnd());
}

/** The packages that are bundled into the one for npm: it has the command, too. */
const ofClients = ['sdk/typescript', 'cli'];

/** The folders of the packages that each artifact is made of. */
export const foldersOf = (processes: string[]): Record<string, string[]> => ({
  ...Object.fromEntries(processes.map((name) => [`assay-${name}`, foldersOfImage(name)])),
  'assay-npm': ofClients,
  'assay-python': [],
});

/** An image runs one process. That of the gateway also has the console and the packages for clients. */
function foldersOfImage(name: string): string[] {
  if (name === 'gateway') return ['gateway', 'console', ...ofClients];
  if (name === 'admin') return ['local'];
  return [name === 'mcp' ? name : `services/${name}`];
}

function writeBills({ root, version, processes, say }: ArtifactOptions, folder: string): void {
  const lockfile = readLockfile(root);
  // Images are of Linux with the GNU library, for processors such as this one.
  const image = { os: 'linux', cpu: process.arch, libc: 'glibc' };
  for (const [name, folders] of Object.entries(foldersOf(processes))) {
    const platform = name === 'assay-npm' ? undefined : image;
    const licenseOf = (path: string) => licenseOfPackage(root, lockfile, path);
    const bill = billOfMaterials({ name, version, lockfile, folders, platform, licenseOf });
    writeFileSync(join(folder, `${name}.cdx.json`), `${JSON.stringify(bill, null, 2)}\n`);
  }
  say(`A bill of materials is written for each of ${processes.length} images and two packages.`);
}

/** Builds an image of each process. Returns a line for each, with its digest. */
export async function buildImages(options: ArtifactOptions): Promise<string[]> {
  const { root, version, revision, source, processes, say } = options;
  if (!(await answers('docker', 'version'))) {
    say('No container engine answers (docker version): the images are left out.');
    return [];
  }
  const lines: string[] = [];
  for (const name of processes) {
    say(`Building the image of ${name} …`);
    const image = `assay-${name}:${version}`;
    const told = { SERVICE: name, VERSION: version, REVISION: revision, SOURCE: source ?? '' };
    const given = Object.entries(told).flatMap(([key, value]) => [
      '--build-arg',
      `${key}=${value}`,
    ]);
    await run(root, 'docker', 'build', ...given, '--tag', image, '.');
    const inspected = ['image', 'inspect', '--format', '{{.Id}}', image];
    const digest = execFileSync('docker', inspected, { cwd: root, encoding: 'utf8' }).trim();
    lines.push(`${digest.replace('sha256:', '')}  ${image}\n`);
  }
  return lines;
}

const sha256 = (file: string): string =>
  createHash('sha256').update(readFileSync(file)).digest('hex');

const answers = (command: string, ...words: string[]): Promise<boolean> =>
  promisify(execFile)(command, words).then(
    () => true,
    () => false,
  );

/** Writes the generated documents by a process of its own, which reads the version anew. */
export const generate = (root: string): Promise<void> =>
  node(root, '--conditions=assay-source', '--import', 'tsx', 'scripts/generate.ts');

/** Runs a program of Node in the folder `root`, its words on the terminal. */
const node = (root: string, ...words: string[]): Promise<void> =>
  run(root, process.execPath, ...words);

/** @throws an error where the program fails. */
async function run(root: string, command: string, ...words: string[]): Promise<void> {
  const child = spawn(command, words, { cwd: root, stdio: ['ignore', 2, 2] });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ${words.join(' ')} failed.`);
}
