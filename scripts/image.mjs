// The two steps of an image (Dockerfile). `build`: the packages of the lockfile, and the build,
// once for all images. `pack <process> <folder>`: what this one process runs, its own code and the
// packages that it depends on, without sources and tools.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { compressFiles } from './compress.mjs';
import { build, fail, install, root } from './prepare.mjs';

const [step, name, folder] = process.argv.slice(2);

if (step === 'build') {
  await install();
  const { passed, output } = await build();
  if (!passed) fail(`Building failed:\n${output}`);
} else if (step === 'pack' && name && folder) {
  const own = ['gateway', 'mcp', 'local'].includes(name) ? name : `services/${name}`;
  if (!existsSync(join(root, own, 'dist/main.js'))) fail(`There is no process "${name}".`);
  for (const path of packagesOf(name)) pack(relative(root, path));
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
  symlinkSync(own, join(folder, 'process'));
} else {
  fail('Say `image.mjs build`, or `image.mjs pack <process> <folder>`.');
}

/** Where the process's own package is, and every one that it needs when it runs. */
function packagesOf(process) {
  const list = ['ls', '--all', '--parseable', '--omit=dev', '--workspace', `@assay/${process}`];
  return execFileSync('npm', list, { cwd: root, encoding: 'utf8' }).split('\n').slice(1, -1);
}

function pack(path) {
  const target = relative(root, realpathSync(join(root, path)));
  if (target === path) {
    // Packages inside of it are listed themselves.
    copy(path, (file) => basename(file) !== 'node_modules');
  } else {
    copy(join(target, 'package.json'));
    copy(join(target, 'dist'), (file) => !/\.(ts|tsbuildinfo)$/.test(file));
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    symlinkSync(relative(join(root, dirname(path)), join(root, target)), join(folder, path));
  }
}

function copy(path, filter = () => true) {
  cpSync(join(root, path), join(folder, path), { recursive: true, filter });
}
