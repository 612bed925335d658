import { closureOf, type Lockfile, nameAt, needsOf, type Platform } from '../dependencies.ts';

interface BillOptions {
  /** The name of the image or package. */
  name: string;
  version: string;
  lockfile: Lockfile;
  /** The folders of our packages that it is made of; none for a package without dependencies. */
  folders: string[];
  platform?: Platform | undefined;
  /** The licence of the package at a path of the lockfile. */
  licenseOf: (path: string) => string;
}

/**
 * Returns the bill of materials (CycloneDX 1.6) of an image or a package: every package in it with
 * its licence and the digest by which npm checks it, and who needs whom. It has neither a time nor a
 * number, so that one commit gives the same bytes.
 */
export function billOfMaterials(options: BillOptions): object {
  const { name, version, lockfile, folders, platform } = options;
  const paths = closureOf(lockfile, folders, platform);
  const purlOf = (path: string): string => purl(packageNameOf(lockfile, path), lockfile[path]!);
  // One version may be installed at several places.
  const components = new Map(paths.map((path) => [purlOf(path), componentOf(options, path)]));
  const needs = new Map<string, Set<string>>();
  for (const path of paths) {
    const own = needs.get(purlOf(path)) ?? new Set();
    for (const need of needsOf(lockfile, path, platform)) own.add(purlOf(need));
    needs.set(purlOf(path), own);
  }
  const root = `pkg:generic/${name}@${version}`;
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': root,
        name,
        version,
        licenses: [{ license: { id: 'Apache-2.0' } }],
      },
    },
    components: [...components.values()],
    dependencies: [
      { ref: root, dependsOn: folders.map(purlOf) },
      ...[...needs].map(([ref, own]) => ({ ref, dependsOn: [...own].sort() })),
    ],
  };
}

function componentOf({ lockfile, licenseOf }: BillOptions, path: string): object {
  const entry = lockfile[path]!;
  const fullName = packageNameOf(lockfile, path);
  const [, group, name] = /^(?:(@[^/]+)\/)?(.+)$/.exec(fullName)!;
  const license = licenseOf(path);
  return {
    type: 'library',
    'bom-ref': purl(fullName, entry),
    ...(group ? { group } : {}),
    name,
    version: entry.version,
    purl: purl(fullName, entry),
    licenses: [/[\s()]/.test(license) ? { expression: license } : { license: { id: license } }],
    ...(entry.integrity ? { hashes: hashesOf(entry.integrity) } : {}),
  };
}

/** The name at a path; our own packages have theirs in the lockfile's links. */
function packageNameOf(lockfile: Lockfile, path: string): string {
  if (path.includes('node_modules/')) return nameAt(path);
  const link = Object.entries(lockfile).find(([, { resolved, link }]) => link && resolved === path);
  return nameAt(link![0]);
}

/** https://github.com/package-url/purl-spec: the at sign of a scope is encoded. */
const purl = (name: string, { version }: { version?: string }): string =>
  `pkg:npm/${name.replace('@', '%40')}@${version}`;

const algorithms: Record<string, string> = {
  sha512: 'SHA-512',
  sha384: 'SHA-384',
  sha256: 'SHA-256',
  sha1: 'SHA-1',
};

/** The digests of a lockfile's integrity, `sha512-<base64>`, in hexadecimal. */
const hashesOf = (integrity: string): object[] =>
  integrity.split(' ').map((each) => {
    const [, algorithm, digest] = /^(\w+)-(.+)$/.exec(each)!;
    return { alg: algorithms[algorithm!], content: Buffer.from(digest!, 'base64').toString('hex') };
  });
