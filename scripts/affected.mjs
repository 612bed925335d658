// `npm test -- --affected`: which tests a change asks for. Those of the packages in which a file
// changed since the branch left its upstream (or since the last commit, without one), and of the
// packages that depend on them; of the folders of test/ those that changed; and the rules, always.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './prepare.mjs';

/** Returns the filters for vitest, and a sentence that says what they leave out. */
export function affectedTests() {
  const changed = changedFiles();
  const packages = affectedPackages({ packages: readPackages(), changed });
  const folders = affectedFolders({ folders: testFolders(), changed });
  return {
    filters: [...packages.map((folder) => `${folder}/`), ...folders, ...ruleTests()],
    sentence: `Affected by ${changed.length} changed files: ${packages.join(', ') || 'no package'}. The folders of test/ that did not change are left to \`npm test\`.`,
  };
}

/** The folders of the packages that hold a changed file, and of all that depend on these. */
export function affectedPackages({ packages, changed }) {
  const isChanged = ({ folder }) => changed.some((file) => file.startsWith(`${folder}/`));
  const affected = new Set(packages.filter(isChanged));
  for (const { name } of affected)
    for (const dependent of packages)
      if (dependent.dependencies.includes(name)) affected.add(dependent);
  return [...affected].map(({ folder }) => folder).sort();
}

/** The folders of test/ that hold a changed file. */
export const affectedFolders = ({ folders, changed }) =>
  folders.filter((folder) => changed.some((file) => file.startsWith(folder)));

/** Every package, with the packages that it and its tests use. */
function readPackages() {
  const { workspaces } = readManifest('.');
  return workspaces.flatMap(foldersOf).map((folder) => {
    const { name, dependencies, devDependencies } = readManifest(folder);
    return { folder, name, dependencies: Object.keys({ ...dependencies, ...devDependencies }) };
  });
}

function foldersOf(workspace) {
  if (!workspace.endsWith('/*')) return [workspace];
  const parent = workspace.slice(0, -2);
  return readdirSync(join(root, parent))
    .map((name) => `${parent}/${name}`)
    .filter((folder) => existsSync(join(root, folder, 'package.json')));
}

const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json')));

const testFolders = () =>
  readdirSync(join(root, 'test'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'containers')
    .map(({ name }) => `test/${name}/`);

/** They hold for the whole tree, and take seconds. */
const ruleTests = () =>
  readdirSync(join(root, 'test'))
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => `test/${name}`);

function changedFiles() {
  const upstream = git('rev-parse', '--abbrev-ref', '@{upstream}')[0];
  const base = upstream ? git('merge-base', 'HEAD', upstream)[0] : 'HEAD';
  const untracked = git('ls-files', '--others', '--exclude-standard');
  return [...new Set([...git('diff', '--name-only', base), ...untracked])];
}

/** The lines that git prints; none where it fails, as for a branch without an upstream. */
function git(...args) {
  try {
    const stdio = ['ignore', 'pipe', 'ignore'];
    const text = execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio });
    return text.split('\n').filter((line) => line !== '');
  } catch {
    return [];
  }
}
