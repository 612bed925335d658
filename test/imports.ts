import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * One import of a source file: what it names, and whether it is of types only, so that nothing of
 * it is left at run time.
 */
export interface Import {
  specifier: string;
  isTypeOnly: boolean;
}

/** A TypeScript file: its path from the root with `/`, and what it imports. */
export interface SourceFile {
  path: string;
  text: string;
  imports: Import[];
}

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/** A comment, a text or template without placeholders, or an import: whichever begins first. */
const tokens = [
  String.raw`(?<comment>\/\*[\s\S]*?\*\/|\/\/[^\n]*)`,
  String.raw`^(?<statement>import|export)(?<types>\s+type\b(?!\s*,|\s+from\b))?(?<names>[\w\s{},*$]*?)\s*\bfrom\s*(?<quote>['"])(?<from>[^'"\n]+)\k<quote>`,
  String.raw`^import\s*(?<bareQuote>['"])(?<bare>[^'"\n]+)\k<bareQuote>`,
  String.raw`\bimport\s*\(\s*(?<dynamicQuote>['"])(?<dynamic>[^'"\n]+)\k<dynamicQuote>`,
  String.raw`(?<text>'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*")`,
].join('|');

/** The imports of a module's text, re-exports and `import()` included. */
export function parseImports(text: string): Import[] {
  const found: Import[] = [];
  for (const { groups } of text.matchAll(new RegExp(tokens, 'gm'))) {
    const specifier = groups!.from ?? groups!.bare ?? groups!.dynamic;
    if (specifier !== undefined)
      found.push({ specifier, isTypeOnly: groups!.from !== undefined && isTypeOnly(groups!) });
  }
  return found;
}

/** `import type { A }`, or `import { type A, type B }`: nothing but types. */
function isTypeOnly({ types, names }: Record<string, string | undefined>): boolean {
  if (types !== undefined) return true;
  const list = /^\s*\{([^}]*)\}\s*$/.exec(names ?? '')?.[1] ?? '';
  const members = list.split(',').map((member) => member.trim());
  return (
    members.some(Boolean) && members.every((member) => member === '' || member.startsWith('type '))
  );
}

/** Every TypeScript file of the repository, without what was built or installed. */
export function readSources(folder = ''): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return leftOut.test(entry.name) ? [] : readSources(path);
    return /\.tsx?$/.test(entry.name) && !entry.name.endsWith('.d.ts') ? [readSource(path)] : [];
  });
}

const leftOut = /^(node_modules|dist|\..*)$/;

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  return { path, text, imports: parseImports(text) };
}

/** The file that a relative import leads to; undefined for a package. */
export const resolveImport = (from: string, specifier: string): string | undefined =>
  specifier.startsWith('.') ? posix.join(posix.dirname(from), specifier) : undefined;
