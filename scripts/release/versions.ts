import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Lockfile, ownFolders, readLockfile } from '../dependencies.ts';

/** Files that name the version in one line of their own. */
const lines: Record<string, RegExp> = {
  'shared/contracts/version.ts': /^(export const version = ').+(?=';$)/m,
  'sdk/python/assay/__init__.py': /^(__version__ = ").+(?="$)/m,
  Dockerfile: /^(ARG VERSION=).+$/m,
};

/**
 * Writes the version wherever it stands below `root`, and returns the files.
 * @throws an error where a file does not name it as expected.
 */
export function setVersion(root: string, version: string): string[] {
  const manifests = ['', ...ownFolders(readLockfile(root))].map((folder) =>
    join(folder, 'package.json'),
  );
  const files = [...manifests, 'package-lock.json', ...Object.keys(lines)];
  for (const path of files) {
    const text = readFileSync(join(root, path), 'utf8');
    writeFileSync(join(root, path), withVersion(path, text, version));
  }
  return files;
}

/** Returns the text of the file at `path` with this version in place of its own. */
export function withVersion(path: string, text: string, version: string): string {
  if (path === 'package-lock.json') return lockfileWithVersion(text, version);
  const place = lines[path] ?? /^( {2}"version": ").+(?=",$)/m;
  if (!place.test(text)) throw new Error(`${path} does not name its version as expected.`);
  const named = text.replace(place, (_, before) => `${before}${version}`);
  return named.replaceAll(/^( {4}"@assay\/[\w-]+": ").+?(?=")/gm, (_, pin) => `${pin}${version}`);
}

function lockfileWithVersion(text: string, version: string): string {
  const lockfile: { version: string; packages: Lockfile } = JSON.parse(text);
  lockfile.version = version;
  for (const folder of ['', ...ownFolders(lockfile.packages)]) {
    const entry = lockfile.packages[folder]!;
    entry.version = version;
    for (const pins of [entry.dependencies, entry.devDependencies])
      for (const name of Object.keys(pins ?? {}))
        if (name.startsWith('@assay/')) pins![name] = version;
  }
  return `${JSON.stringify(lockfile, null, 2)}\n`;
}
