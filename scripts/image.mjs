// The two steps of an image (Dockerfile). `build`: the packages of the lockfile, and the build,
// once for all images. `pack <program> <folder>`: what this one program runs, its part of the bundle
// and the packages that stand beside it, without sources and tools.
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { compressFiles } from './compress.mjs';
import { build, fail, install, root } from './prepare.mjs';
import { bundleOf, programsIn } from './programs.mjs';

const [step, name, folder] = process.argv.slice(2);
/** Programs that an image has besides its own: an operator's are in one. */
const besides = { admin: ['keys', 'backup', 'restore'] };
const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

if (step === 'build') {
  await install();
  const { passed, output } = await build();
  if (!passed) fail(`Building failed:\n${output}`);
} else if (step === 'pack' && name && folder) {
  if (!(name in programsIn(root))) fail(`There is no process "${name}".`);
  const program = bundleOf(name);
  const parts = [name, ...(besides[name] ?? [])].map((each) => partsOf(`${each}.js`));
  for (const file of new Set(parts.flatMap(({ files }) => [...files])))
    copy(join(dirname(program), file));
  for (const file of ['package.json', 'LICENSES.txt']) copy(join(dirname(program), file));
  for (const path of foldersOf(new Set(parts.flatMap(({ packages }) => [...packages]))))
    copy(relative(root, path), (file) => basename(file) !== 'node_modules');
  if (name === 'gateway' && existsSync(join(root, 'console/dist'))) {
    copy('console/dist');
    compressFiles(join(folder, 'console/dist/assets'));
  }
  if (name === 'gateway') {
    copy('sdk/dist');
    // The documentation, with the look of the console.
    for (const path of ['gateway/pages', 'console/src/style/tokens.css', 'console/src/icon.svg'])
      copy(path);
    copy('docs', (file) => !/\.json$/.test(file));
  }
  // Agents read some of the pages.
  if (name === 'mcp') copy('docs', (file) => !/\bdocs\b.+\.(json|png|webp)$/.test(file));
  copy('LICENSE');
  symlinkSync(program, join(folder, 'process.js'));
} else {
  fail('Say `image.mjs build`, or `image.mjs pack <program> <folder>`.');
}

/** Returns the files that a file of the bundle needs, itself included, and their packages. */
function partsOf(program) {
  const parts = readJson(join(root, 'dist/bundle/parts.json'));
  const files = new Set([program]);
  for (const file of files) for (const other of parts[file]?.files ?? []) files.add(other);
  return { files, packages: new Set([...files].flatMap((file) => parts[file]?.packages ?? [])) };
}

/** Returns where these packages are installed, and every one that they need when they run. */
function foldersOf(packages) {
  const folders = new Set([...packages].map((name) => installedFolder({ name, from: root })));
  for (const from of folders) {
    const { dependencies, peerDependencies, optionalDependencies, peerDependenciesMeta } = readJson(
      join(from, 'package.json'),
    );
    const mayBeMissing = { ...peerDependenciesMeta, ...optionalDependencies };
    const names = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
    for (const name of names) {
      const found = installedFolder({ name, from });
      if (found) folders.add(found);
      else if (!(name in mayBeMissing)) fail(`${basename(from)} needs ${name}: install it.`);
    }
  }
  return folders;
}

/** As Node looks for a package: in the node_modules of each folder on the way up to the root. */
function installedFolder({ name, from }) {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  return from === root ? undefined : installedFolder({ name, from: dirname(from) });
}

function copy(path, filter = () => true) {
  cpSync(join(root, path), join(folder, path), { recursive: true, filter });
}
