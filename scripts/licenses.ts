// `npm run licenses`: the licence of each package that is distributed, and of each tool.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { closureOf, type Lockfile, nameAt, ownFolders, readLockfile } from './dependencies.ts';
import { isAllowed } from './spdx.ts';

/** Licences under which a part of a work may be that is distributed under Apache-2.0. */
export const ofDistributed = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'Unlicense',
];

/** A face of text may also be sent under its own licence, which does not bind the work that shows it. */
export const ofFonts = [...ofDistributed, 'OFL-1.1'];

/** A tool is used and not distributed, so that its source may be under a licence that binds it. */
export const ofTools = [...ofDistributed, 'CC0-1.0', 'MPL-2.0'];

/** Tools that state their licence in their README alone. */
const statedInReadme: Record<string, string> = { 'humanize-number': 'MIT', only: 'MIT' };

export interface LicensedPackage {
  name: string;
  version: string;
  /** An expression of SPDX; "unknown" where the package states none. */
  license: string;
  use: 'distributed' | 'tool';
}

/** The packages of others in package-lock.json, on every platform, with their licences. */
export function licensedPackages(root: string): LicensedPackage[] {
  const lockfile = readLockfile(root);
  // Our own packages but for the one that only tests import.
  const own = ownFolders(lockfile).filter((folder) => folder !== 'shared/testing');
  const distributed = new Set(closureOf(lockfile, own));
  const packages = Object.keys(lockfile)
    .filter((path) => path.includes('node_modules/') && !lockfile[path]!.link)
    .map((path): LicensedPackage => {
      const name = nameAt(path);
      const license = licenseOfPackage(root, lockfile, path);
      const use = distributed.has(path) ? 'distributed' : 'tool';
      return { name, version: lockfile[path]!.version!, license, use };
    });
  // The same version may be installed at several places.
  return [...new Map(packages.map((each) => [JSON.stringify(each), each])).values()].sort(
    (a, b) =>
      a.use.localeCompare(b.use) || a.name.localeCompare(b.name) || compare(a.version, b.version),
  );
}

/** The licence of the package at a path of the lockfile. */
export const licenseOfPackage = (root: string, lockfile: Lockfile, path: string): string =>
  licenseAt(root, path) ?? lockfile[path]!.license ?? statedInReadme[nameAt(path)] ?? 'unknown';

const compare = (a: string, b: string) => a.localeCompare(b, 'en', { numeric: true });

interface Manifest {
  license?: string | { type: string };
  /** As manifests had it once. */
  licenses?: { type: string }[];
}

/** The licence that an installed package states; undefined where none is, or it is not installed. */
function licenseAt(root: string, path: string): string | undefined {
  const file = join(root, path, 'package.json');
  if (!existsSync(file)) return undefined;
  const { license, licenses }: Manifest = JSON.parse(readFileSync(file, 'utf8'));
  if (typeof license === 'string') return license;
  return license?.type ?? licenses?.map(({ type }) => type).join(' OR ');
}

/** The packages whose licence is refused. */
export const refused = (packages: LicensedPackage[]): LicensedPackage[] =>
  packages.filter((each) => !isAllowed(each.license, allowedFor(each)));

const isFont = ({ name }: LicensedPackage) => /^@fontsource(-variable)?\//.test(name);

function allowedFor(each: LicensedPackage): string[] {
  if (each.use === 'tool') return ofTools;
  return isFont(each) ? ofFonts : ofDistributed;
}

/** A table with columns that are as wide as their longest cell. */
export function licenseTable(packages: LicensedPackage[]): string {
  const rows = [
    ['package', 'version', 'licence', 'use'],
    ...packages.map(({ name, version, license, use }) => [name, version, license, use]),
  ];
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line}\n`)
    .join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const packages = licensedPackages(join(dirname(fileURLToPath(import.meta.url)), '..'));
  process.stdout.write(licenseTable(packages));
  const notAllowed = refused(packages);
  process.stdout.write(
    `${packages.length} packages, ${packages.filter(({ use }) => use === 'distributed').length} of them distributed; the licences of ${notAllowed.length} are not allowed.\n`,
  );
  process.exitCode = notAllowed.length === 0 ? 0 : 1;
}
