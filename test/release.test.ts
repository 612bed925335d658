import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { closureOf, ownFolders, readLockfile } from '../scripts/dependencies.ts';
import { buildImages, foldersOf, generate } from '../scripts/release/artifacts.ts';
import { billOfMaterials } from '../scripts/release/bill-of-materials.ts';
import { cutChangelog } from '../scripts/release/changelog.ts';
import { checkRelease } from '../scripts/release/checks.ts';
import { recordContracts } from '../scripts/release/contracts.ts';
import { createGit } from '../scripts/release/git.ts';
import { release } from '../scripts/release/release.ts';
import { withVersion } from '../scripts/release/versions.ts';
import { root } from './imports.ts';

describe('a release is refused, with a sentence that says what to do,', () => {
  const good = {
    version: '0.3.0',
    current: '0.2.9',
    changes: [],
    tags: ['v0.2.9'],
    changelog: '# Changes\n\n## 0.3.0 (not released yet)\n\nNew.\n\n## 0.2.9 (2026-01-31)\n',
  };

  test('but not where all is ready', () => {
    expect(() => checkRelease(good)).not.toThrow();
    expect(() =>
      checkRelease({
        ...good,
        current: '0.2.10',
        version: '1.0.0',
        changelog: '## Not released yet\n',
      }),
    ).not.toThrow();
  });

  test.each<[string, Partial<typeof good> | { changes: string[] }, string]>([
    [
      'without a version',
      { version: '' },
      'Name the version as three numbers: npm run release -- 1.2.3',
    ],
    ['of a version that is none', { version: 'v0.3' }, 'Name the version as three numbers'],
    [
      'of a version before the release',
      { version: '0.3.0-rc.1' },
      'Name the version as three numbers',
    ],
    [
      'of the version that is released',
      { version: '0.2.9' },
      '0.2.9 is not newer than 0.2.9, which is released: name a higher version.',
    ],
    [
      'of an older version, number by number',
      { version: '0.2.10', current: '0.11.0' },
      'is not newer',
    ],
    [
      'of a version that has a tag',
      { tags: ['v0.3.0'] },
      'The tag v0.3.0 exists: name a higher version',
    ],
    [
      'of changes that are not committed',
      { changes: ['a.ts', 'b.ts'] },
      'Commit or stash your changes first, since a release is made of a commit: a.ts, b.ts.',
    ],
    [
      'without changes to tell',
      { changelog: '## 0.2.9 (2026-01-31)\n' },
      'CHANGELOG.md has no unreleased part: say under the heading "## Not released yet" what has changed.',
    ],
    [
      'of another version than the changes prepare',
      { changelog: '## 0.4.0 (not released yet)\n' },
      'CHANGELOG.md prepares 0.4.0: release that version, or change the heading.',
    ],
  ])('%s', (_what, change, sentence) => {
    expect(() => checkRelease({ ...good, ...change } as typeof good)).toThrow(sentence);
  });
});

test.each(['0.3.0 (not released yet)', 'Not released yet'])(
  'the unreleased part of the changes, "%s", gets its version and day, and nothing else changes',
  (heading) => {
    const changes = (head: string) => `# Changes\n\n## ${head}\n\nNot released yet.\n\n## 0.2.0\n`;
    expect(cutChangelog(changes(heading), '0.3.0', '2026-11-26')).toBe(
      changes('0.3.0 (2026-11-26)'),
    );
  },
);

test.each<[string, string, string]>([
  [
    'mcp/package.json',
    '{\n  "name": "@assay/mcp",\n  "version": "0.1.0",\n  "dependencies": {\n    "@assay/client": "0.1.0",\n    "zod": "0.1.0"\n  }\n}\n',
    '{\n  "name": "@assay/mcp",\n  "version": "0.3.0",\n  "dependencies": {\n    "@assay/client": "0.3.0",\n    "zod": "0.1.0"\n  }\n}\n',
  ],
  [
    'shared/contracts/version.ts',
    "/** 0.1.0 */\nexport const version = '0.1.0';\n",
    "/** 0.1.0 */\nexport const version = '0.3.0';\n",
  ],
  [
    'Dockerfile',
    'ARG VERSION=0.1.0\nARG REVISION=0.1.0\n',
    'ARG VERSION=0.3.0\nARG REVISION=0.1.0\n',
  ],
  ['sdk/python/assay/__init__.py', '__version__ = "0.1.0"\n', '__version__ = "0.3.0"\n'],
])('%s names the new version in the place of the old one', (path, before, after) => {
  expect(withVersion(path, before, '0.3.0')).toBe(after);
  expect(() => withVersion(path, 'nothing\n', '0.3.0')).toThrow(
    `${path} does not name its version as expected.`,
  );
});

describe('docs/released-contracts.json', () => {
  const folders = readdirSync(join(root, 'services')).filter((name) =>
    existsSync(join(root, 'services', name, 'package.json')),
  );

  test('has every service when a release is made', () => {
    const recorded = JSON.parse(recordContracts({ version: '0.3.0', contracts, folders }));
    expect(recorded.version).toBe('0.3.0');
    expect(Object.keys(recorded.contracts).toSorted()).toEqual(folders.toSorted());
  });

  test('is not written where a service would be missing', () => {
    const others = contracts.filter(({ name }) => name !== 'results' && name !== 'traces');
    expect(() => recordContracts({ version: '0.3.0', contracts: others, folders })).toThrow(
      'shared/contracts/all.ts lacks results, traces',
    );
  });
});

/** A clone of the last commit, whose packages are those of this repository, our own its own. */
function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-release-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const git = (...words: string[]) => execFileSync('git', words, { cwd: folder, stdio: 'pipe' });
  execFileSync('git', ['clone', '--quiet', '--no-tags', '--depth=1', `file://${root}`, folder]);
  git('config', 'user.name', 'A maintainer');
  git('config', 'user.email', 'maintainer@example.com');
  git('config', 'commit.gpgsign', 'false');
  git('config', 'tag.gpgsign', 'false');
  const installed = join(folder, 'node_modules');
  mkdirSync(join(installed, '@assay'), { recursive: true });
  for (const name of readdirSync(join(root, 'node_modules')).filter((name) => name !== '@assay'))
    symlinkSync(join(root, 'node_modules', name), join(installed, name));
  for (const own of ownFolders(readLockfile(folder))) {
    const { name } = JSON.parse(readFileSync(join(folder, own, 'package.json'), 'utf8'));
    symlinkSync(join(folder, own), join(installed, name));
  }
  return folder;
}

test('a release writes, commits and tags; one that fails says how to take it back, and a repeat is refused', async () => {
  const folder = clone();
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  // It has an unreleased part, whether or not the last commit has one.
  const released = read('CHANGELOG.md').replace(/^## .*not released yet.*$/im, '## 98.0.0');
  const changelog = released.replace('# Changes\n', '# Changes\n\n## Not released yet\n\nMuch.\n');
  const git = createGit(folder);
  const show = (...words: string[]) =>
    execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim();
  writeFileSync(join(folder, 'CHANGELOG.md'), changelog);
  git.commit('Prepare a release');
  const revisions: string[] = [];
  const said: string[] = [];
  const options = {
    root: folder,
    version: '99.0.0',
    date: '2026-11-26',
    git,
    generate: () => generate(folder),
    makeArtifacts: async (revision: string) => void revisions.push(revision),
    say: (line: string) => void said.push(line),
  };
  const before = git.head();
  const failing = { ...options, generate: () => Promise.reject(new Error('No documents.')) };
  await expect(release(failing)).rejects.toThrow('No documents.');
  expect(said.at(-1)).toBe(
    `The release is not finished. To take back what was changed: git reset --hard ${before}`,
  );
  expect([git.head(), git.tags()]).toEqual([before, []]);
  show('reset', '--quiet', '--hard', before);

  await release(options);

  expect(git.changes()).toEqual([]);
  expect(git.tags()).toEqual(['v99.0.0']);
  expect(revisions).toEqual([git.head()]);
  expect(show('log', '-1', '--format=%s')).toBe('Release 99.0.0');
  expect(show('cat-file', '-t', 'v99.0.0')).toBe('tag');
  expect(read('CHANGELOG.md')).toContain('## 99.0.0 (2026-11-26)\n\nMuch.\n');
  expect(JSON.parse(read('docs/openapi.json')).info.version).toBe('99.0.0');
  expect(JSON.parse(read('docs/released-contracts.json')).version).toBe('99.0.0');
  for (const path of ['package.json', 'gateway/package.json', 'package-lock.json'])
    expect(JSON.parse(read(path)).version, path).toBe('99.0.0');
  expect(said.at(-1)).toContain('git push --follow-tags');

  await expect(release(options)).rejects.toThrow('99.0.0 is not newer than 99.0.0');
  expect(git.tags()).toEqual(['v99.0.0']);
});

describe('images', () => {
  const said: string[] = [];
  const options = {
    root,
    version: '0.3.0',
    revision: 'f'.repeat(40),
    source: 'https://example.com/assay',
    processes: ['catalog', 'mcp'],
    say: (line: string) => void said.push(line),
  };

  /** Puts a program in the place of the container engine, or none; it writes down its arguments. */
  function engine(program?: string): string {
    const folder = mkdtempSync(join(tmpdir(), 'assay-engine-'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
    });
    if (program) writeFileSync(join(folder, 'docker'), program, { mode: 0o755 });
    vi.stubEnv('PATH', folder);
    return join(folder, 'asked');
  }

  test('are told version, commit and source, and their digests are told', async () => {
    const asked = engine(
      `#!/bin/sh\necho "$@" >> "\${0%/*}/asked"\n[ "$1" != image ] || echo sha256:1234\n`,
    );
    expect(await buildImages(options)).toEqual([
      '1234  assay-catalog:0.3.0\n',
      '1234  assay-mcp:0.3.0\n',
    ]);
    const builds = readFileSync(asked, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('build '));
    expect(builds).toEqual(
      options.processes.map(
        (name) =>
          `build --build-arg SERVICE=${name} --build-arg VERSION=0.3.0 --build-arg REVISION=${options.revision} --build-arg SOURCE=https://example.com/assay --tag assay-${name}:0.3.0 .`,
      ),
    );
  });

  test('are left out where no container engine answers, and a line says so', async () => {
    engine();
    expect(await buildImages(options)).toEqual([]);
    expect(said.at(-1)).toBe(
      'No container engine answers (docker version): the images are left out.',
    );
  });
});

describe('a bill of materials', () => {
  interface Component {
    group?: string;
    name: string;
    version: string;
    hashes?: { alg: string; content: string }[];
    licenses: object[];
  }
  interface Bill {
    components: Component[];
    dependencies: { ref: string; dependsOn: string[] }[];
  }
  const lockfile = readLockfile(root);
  const platform = { os: 'linux', cpu: process.arch, libc: 'glibc' };
  const billOf = (folders: string[]): Bill =>
    billOfMaterials({
      name: 'a',
      version: '0.3.0',
      lockfile,
      folders,
      platform,
      licenseOf: () => 'MIT',
    }) as Bill;
  const namesOf = ({ components }: Bill): string[] =>
    components.map(({ group, name, version }) => `${group ? `${group}/` : ''}${name}@${version}`);

  test('has every package that the image of its process has', () => {
    const packed = mkdtempSync(join(tmpdir(), 'assay-packed-'));
    onTestFinished(() => rmSync(packed, { recursive: true, force: true }));
    execFileSync(process.execPath, ['scripts/image.mjs', 'pack', 'scoring', packed], { cwd: root });
    const found = readdirSync(packed, { recursive: true, encoding: 'utf8' })
      .filter((path) => /(^|\/)node_modules\/(@[^/]+\/)?[^/@]+\/package\.json$/.test(path))
      .map((path) => JSON.parse(readFileSync(join(packed, path), 'utf8')))
      .map(({ name, version }) => `${name}@${version}`);
    expect(found.length).toBeGreaterThan(0);
    expect(namesOf(billOf(foldersOf(['scoring'])['assay-scoring']!))).toEqual(
      expect.arrayContaining(found),
    );
  });

  test('has every package that is bundled into the npm package, and the wheel has none', () => {
    const bundled = readFileSync(join(root, 'sdk/typescript/dist/bundle/LICENSES.txt'), 'utf8');
    const names = [...bundled.matchAll(/(?:^|-{80}\n\n)(\S+) (\d+\.\d+\.\d+\S*)\n\n/g)].map(
      ([, name, version]) => `${name}@${version}`,
    );
    expect(names.length).toBeGreaterThan(0);
    const { 'assay-npm': npm, 'assay-python': python } = foldersOf([]);
    expect(namesOf(billOf(npm!))).toEqual(expect.arrayContaining(names));
    expect(namesOf(billOf(python!))).toEqual([]);
  });

  test('of the gateway has the packages that the console bundles, and not the tools that build it', () => {
    const names = namesOf(billOf(foldersOf(['gateway'])['assay-gateway']!)).map((name) =>
      name.replace(/@[^@]*$/, ''),
    );
    expect(names).toEqual(expect.arrayContaining(['react', '@codemirror/view', 'fastify', 'yaml']));
    expect(names).not.toContain('vite');
  });

  test('names each package once, with its digest, and only packages that it has', () => {
    const { components, dependencies } = billOf(['services/scoring', 'gateway']);
    const own = closureOf(lockfile, ['services/scoring', 'gateway'], platform);
    expect(own).toContain('shared/contracts');
    const names = namesOf({ components, dependencies });
    expect(new Set(names).size).toBe(names.length);
    for (const { group, name, hashes } of components)
      if (group !== '@assay') expect(hashes?.[0]?.content, name).toMatch(/^[0-9a-f]{40,128}$/);
    const refs = dependencies.map(({ ref }) => ref);
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn)).toSatisfy((all: string[]) =>
      all.every((each) => refs.includes(each)),
    );
  });
});
