import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { serviceNames } from '@assay/contracts/all';
import { describe, expect, test } from 'vitest';
import { readSources, root } from './imports.ts';

const folder = join(root, 'dist/bundle');
/** Chunks of earlier bundles stay for programs that run, and are not among these. */
const files = new Map(
  Object.keys(JSON.parse(readFileSync(join(folder, 'parts.json'), 'utf8'))).map((name) => [
    name,
    readFileSync(join(folder, name), 'utf8'),
  ]),
);

/** What a file of the bundle imports before it runs. */
const importsOf = (file: string): string[] =>
  [...files.get(file)!.matchAll(/^(?:import|export) (?:.+ from )?"([^"]+)";$/gm)].map(
    ([, specifier]) => specifier!,
  );

/** All that a program loads before it runs: files of the bundle, and packages beside it. */
function loadedBy(program: string): string[] {
  const loaded = new Set([`./${program}.js`]);
  for (const each of loaded)
    if (each.startsWith('./')) for (const other of importsOf(each.slice(2))) loaded.add(other);
  return [...loaded];
}

describe('the bundles', () => {
  test('hold every process and every command', () => {
    const commands = ['start', 'demo', 'admin', 'backup', 'restore', 'gate', 'assay'];
    const missing = [...serviceNames, 'gateway', 'mcp', ...commands].filter(
      (name) => !files.has(`${name}.js`),
    );
    expect(missing).toEqual([]);
  });

  test('load the packages of judges when one is first asked, and what a command does not need not at all', () => {
    expect(loadedBy('catalog')).toContain('piscina');
    expect(loadedBy('scoring').filter((name) => name.startsWith('@ai-sdk/'))).toEqual([]);
    for (const program of ['gateway', 'mcp'])
      expect(loadedBy(program), program).not.toContain('mongodb');
    for (const program of ['assay', 'gate', 'admin'])
      expect(
        loadedBy(program).filter((name) => /^(?!\.|node:)/.test(name) && name.includes('/')),
        program,
      ).toEqual([]);
  });

  test('start the entries of threads, and import none', () => {
    const imported = [...files.keys()].flatMap(importsOf);
    expect(imported.filter((name) => name.endsWith('-worker.js'))).toEqual([]);
    const workers = readSources()
      .map(({ path }) => path)
      .filter((path) => /-worker\.ts$/.test(path) && !/^console\/|\/test\//.test(path))
      .map((path) => path.replace(/^.*\/(.+)\.ts$/, '$1.js'));
    expect([...files.keys()].filter((name) => name.endsWith('-worker.js')).toSorted()).toEqual(
      workers.toSorted(),
    );
  });

  test('keep the names of functions', () => {
    expect([...files.values()].some((text) => text.includes('function createRecordStore('))).toBe(
      true,
    );
  });

  test('come with the licence of every package that is in them', () => {
    const inside = [...files.values()].flatMap((text) =>
      [...text.matchAll(/^\/\/ .*node_modules\/((?:@[^/\n]+\/)?[^/\n]+)\//gm)].map(
        ([, name]) => name!,
      ),
    );
    expect(inside).toContain('fastify');
    const licensed = readFileSync(join(folder, 'LICENSES.txt'), 'utf8')
      .split(`\n${'-'.repeat(80)}\n\n`)
      .map((text) => text.split(' ', 1)[0]);
    expect(inside.filter((name) => !licensed.includes(name))).toEqual([]);
  });
});

/**
 * `src/x.ts`, `dist/x.js` and `dist/bundle/x.js` are as deep: the same relative path leads from each
 * to the root.
 */
test('a module that finds files of the repository by its own address stands directly in src', () => {
  const leavesItsFolder = /new URL\(\s*['"`](\.\.\/[^'"`]*)['"`],\s*import\.meta\.url/g;
  const isOfTools = /(^|\/)test\/|^(scripts|bench|examples|console)\//;
  const found = readSources()
    .filter(({ path }) => !isOfTools.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(leavesItsFolder)].map(([, to]) => ({ path, to: to! })),
    );
  expect(found.map(({ path }) => path)).toContain('gateway/src/gateway.ts');
  const lost = found.filter(
    ({ path, to }) => !/^[\w-]+\/src\/[\w-]+\.ts$/.test(path) || !to.startsWith('../../'),
  );
  expect(lost).toEqual([]);
});
