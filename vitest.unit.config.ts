import { defineConfig } from 'vitest/config';
import { readSources, resolveImport, type SourceFile } from './test/imports.ts';
import everything from './vitest.config.ts';

/** How a test reaches for MongoDB and NATS, for another program, or for a server of its own. */
const needsServers = /\binject\('servers'\)|'node:(child_process|http)'/;

const files = new Map(readSources().map((file) => [file.path, file]));

/** The path of an imported file, also where it is named by the package of what tests share. */
const pathOf = (from: string, specifier: string): string =>
  resolveImport(from, specifier) ??
  specifier.replace(/^@assay\/testing\/(.*)$/, 'shared/testing/$1.ts');

/** A test needs servers when its own text says so, or that of a file of tests that it imports. */
function isServed(file: SourceFile, seen = new Set<string>()): boolean {
  if (seen.has(file.path)) return false;
  seen.add(file.path);
  if (needsServers.test(file.text)) return true;
  return file.imports.some(({ specifier }) => {
    const imported = files.get(pathOf(file.path, specifier));
    const isOfTests = imported && /(^|\/)(test|shared\/testing)\//.test(imported.path);
    return isOfTests && isServed(imported, seen);
  });
}

const served = [...files.values()]
  .filter((file) => file.path.endsWith('.test.ts') && isServed(file))
  .map(({ path }) => path);

/**
 * `npm run test:unit`: the tests that need no server, in seconds. Not those of the laptop's
 * launcher, which is about servers, nor of the sandbox, which is about processes, nor what waits
 * for deadlines: `hostile.test.ts`, and schemas that keep other organizations waiting.
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
      'engines/json-schema/test/organizations.test.ts',
      ...served,
    ],
  },
});
