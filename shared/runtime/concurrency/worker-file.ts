import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The file that a worker thread runs: the built one, also for a caller that is a TypeScript source,
 * because a loader of TypeScript would take longer to start than most workers run. A bundle holds
 * the workers of its modules, beside its chunks (scripts/bundle.mjs). `module` is the
 * caller's `import.meta.url`, `name` the worker's file relative to it, without its ending. A worker
 * in plain JavaScript needs no build.
 */
export function workerFile({ module, name }: { module: string; name: string }): {
  filename: string;
  execArgv: string[];
} {
  const beside = fileURLToPath(new URL(`${name}.js`, module));
  return { filename: existsSync(beside) ? beside : builtFile(beside), execArgv: [] };
}

/**
 * By the packages' tsconfig.json: `dist` holds the built files of `src`, or of the package's own
 * folder.
 */
function builtFile(source: string): string {
  let folder = dirname(source);
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return join(folder, 'dist', relative(folder, source).replace(/^src\//, ''));
}
