import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Wall } from './bubblewrap.ts';
import type { Launch } from './child.ts';
import { librariesOf } from './libraries.ts';

/** The packages that the child loads before it sees any code of users. */
const packages = ['@jitl/quickjs-wasmfile-release-sync', 'quickjs-emscripten-core', 'sucrase'];

/** For the record's text outside of QuickJS, and for sucrase. */
const heapMiBMax = 192;
/** Above the part that QuickJS may use, and below the 8 MiB that systems give. */
const stackKiB = 2000;

/**
 * How a process for TypeScript and JavaScript is started: Node that may read its libraries and
 * nothing else, behind bubblewrap's wall where there is one.
 */
export async function javascriptLaunch({ wall }: { wall: Wall | undefined }): Promise<Launch> {
  const folder = dirname(fileURLToPath(import.meta.url));
  const reads = foldersOf(packages, folder);
  const args = [
    process.allowedNodeEnvironmentFlags.has('--permission')
      ? '--permission'
      : '--experimental-permission',
    ...reads.map((read) => `--allow-fs-read=${read}/*`),
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${heapMiBMax}`,
    `--stack-size=${stackKiB}`,
    '--input-type=module',
    '--eval',
    await readProgram(),
  ];
  const command = process.execPath;
  return wall
    ? wall({ command, args, folder, reads: [command, ...(await librariesOf([command])), ...reads] })
    : { command, args, folder };
}

/**
 * The program's text: built, or made from its source, since loaders of TypeScript need threads and
 * files that the child may not have.
 */
async function readProgram(): Promise<string> {
  const built = new URL('javascript-child.js', import.meta.url);
  if (!import.meta.url.endsWith('.ts')) return readFileSync(built, 'utf8');
  const source = readFileSync(new URL('javascript-child.ts', import.meta.url), 'utf8');
  const { transform } = await import('sucrase');
  return transform(source, { transforms: ['typescript'], disableESTransforms: true }).code;
}

/** Returns the folders of the packages and of their dependencies. */
function foldersOf(names: string[], from: string): string[] {
  const folders = new Set<string>();
  function add(name: string, above: string): void {
    const folder = folderOf(name, above);
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as { dependencies?: object };
    for (const dependency of Object.keys(dependencies)) add(dependency, folder);
  }
  for (const name of names) add(name, from);
  return [...folders];
}

/** As Node looks for a package: in the node_modules of each folder on the way up. */
function folderOf(name: string, from: string): string {
  const folder = join(from, 'node_modules', name);
  if (existsSync(folder)) return folder;
  if (dirname(from) === from) throw new Error(`${name} is not installed`);
  return folderOf(name, dirname(from));
}
