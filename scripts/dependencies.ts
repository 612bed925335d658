import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** An entry of package-lock.json: an installed package, a folder of ours, or a link to one. */
export interface LockedPackage {
  version?: string;
  license?: string;
  integrity?: string;
  link?: boolean;
  /** Of a link: the folder. */
  resolved?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

/** The packages of package-lock.json by their path from the root. */
export type Lockfile = Record<string, LockedPackage>;

/** Where an image runs. */
export interface Platform {
  os: string;
  cpu: string;
  libc: string;
}

export const readLockfile = (root: string): Lockfile =>
  JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;

/** The folders of our own packages, without the root. */
export const ownFolders = (lockfile: Lockfile): string[] =>
  Object.keys(lockfile).filter((path) => path !== '' && !path.includes('node_modules/'));

/** The name of the package at a path of the lockfile. */
export const nameAt = (path: string): string => path.replace(/^.*node_modules\//, '');

/**
 * Returns the path of the package that `name` leads to from the package at `path`, as Node looks for
 * it; undefined where it is not installed.
 */
export function resolveFrom(lockfile: Lockfile, path: string, name: string): string | undefined {
  for (let folder = path; ; folder = folder.replace(/(^|\/)[^/]*$/, '')) {
    const found = `${folder}${folder === '' ? '' : '/'}node_modules/${name}`;
    const entry = lockfile[found];
    if (entry) return entry.link ? entry.resolved : found;
    if (folder === '') return undefined;
  }
}

/**
 * The console is built, typed and tested with these. It bundles all other packages that it names,
 * which are development dependencies too.
 */
const toolsOfConsole = ['@types/react', '@types/react-dom', '@vitejs/plugin-react', 'vite'];

/** The paths of the packages that the one at `path` needs when it runs, or that are bundled in it. */
export function needsOf(lockfile: Lockfile, path: string, platform?: Platform): string[] {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = lockfile[path]!;
  const bundled =
    path === 'console'
      ? Object.keys(devDependencies!).filter((name) => !toolsOfConsole.includes(name))
      : [];
  const names = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });
  return [...bundled, ...names]
    .flatMap((name) => resolveFrom(lockfile, path, name) ?? [])
    .filter((found) => platform === undefined || runsOn(lockfile[found]!, platform));
}

const runsOn = ({ os, cpu, libc }: LockedPackage, platform: Platform): boolean =>
  (os ?? [platform.os]).includes(platform.os) &&
  (cpu ?? [platform.cpu]).includes(platform.cpu) &&
  (libc ?? [platform.libc]).includes(platform.libc);

/**
 * Returns the sorted paths of these packages and of all that they need when they run: on one
 * platform, or on all of them.
 */
export function closureOf(lockfile: Lockfile, from: string[], platform?: Platform): string[] {
  const found = new Set(from);
  for (const path of found) for (const need of needsOf(lockfile, path, platform)) found.add(need);
  return [...found].sort();
}
