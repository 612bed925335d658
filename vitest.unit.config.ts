import { defineConfig } from 'vitest/config';
import { readSources, resolveImport, type SourceFile } from './test/imports.ts';
import everything from './vitest.config.ts';

/**
 * What a test reaches for when it needs MongoDB, NATS, a server of its own or another program to
 * run.
 */
const needsServers =
  /'@assay\/testing\/(world|config)'|\binject\('servers'\)|'node:(child_process|http)'/;

const files = new Map(readSources().map((file) => [file.path, file]));

/**
 * A test needs servers when its own text says so, or that of a file which it imports from a test
 * folder.
 */
function isServed(file: SourceFile, seen = new Set<string>()): boolean {
  if (seen.has(file.path)) return false;
  seen.add(file.path);
  if (needsServers.test(file.text)) return true;
  const beside = file.imports.map(({ specifier }) =>
    files.get(resolveImport(file.path, specifier) ?? ''),
  );
  return beside.some(
    (other) => other !== undefined && /(^|\/)test\//.test(other.path) && isServed(other, seen),
  );
}

const served = [...files.values()]
  .filter((file) => file.path.endsWith('.test.ts') && isServed(file))
  .map(({ path }) => path);

/**
 * `npm run test:unit`: the tests that need no server, in seconds. Not those of the laptop's
 * launcher, which is about servers, nor of the sandbox, which is about processes, nor what waits
 * for deadlines: `hostile.test.ts`.
 */
export default defineConfig({
  ...everything,
  test: {
    ...everything.test,
    globalSetup: ['./scripts/build.mjs'],
    exclude: [
      ...everything.test!.exclude!,
      'local/**',
      'engines/code-sandbox/**',
      '**/hostile.test.ts',
      ...served,
    ],
  },
});
