import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';

/**
 * Where a worker's module is and what Node needs to start it: the built `.js` beside a built caller, else the `.ts` source by tsx.
 * `module` is the caller's `import.meta.url`, `name` the worker's file without its ending, relative to it.
 */
export function workerFile({ module, name }: { module: string; name: string }): { filename: string; execArgv: string[] } {
  if (!new URL(module).pathname.endsWith('.ts')) return { filename: fileURLToPath(new URL(`${name}.js`, module)), execArgv: [] };
  const loader = pathToFileURL(createRequire(module).resolve('tsx')).href;
  return { filename: fileURLToPath(new URL(`${name}.ts`, module)), execArgv: ['--import', loader, '--conditions=assay-source'] };
}
