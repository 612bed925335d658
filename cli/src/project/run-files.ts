import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readProjectFile } from './read.ts';
import { isScript } from './scripts.ts';

/** A project's file with names of its evaluations, or scripts. */
interface RunSource {
  file: string;
  names: string[];
  /** Files and folders that are read, too. */
  paths: string[];
}

/**
 * The files that a run reads, as far as their text tells: the project's file, the modules, scripts
 * and programs of its evaluations, and all that these name in quotes or import, each of which may
 * name more. Paths are absolute; a folder among `paths` stands for all that is in it.
 */
export async function filesOfRun({ file, names, paths }: RunSource): Promise<Set<string>> {
  const scripts = names.filter(isScript);
  const starts = scripts.length > 0 ? scripts.map((script) => resolve(script)) : [resolve(file)];
  const systems = scripts.length > 0 ? [] : await filesOfSystems(file, names);
  const files = new Set([...starts, ...systems, ...paths.map((path) => resolve(path))]);
  const folder = scripts.length > 0 ? resolve('.') : dirname(resolve(file));
  // The set grows while it is walked.
  for (const path of files)
    if (isCode.test(path))
      for (const found of await filesNamedIn(path, folder))
        if (!isInstalled(found)) files.add(found);
  return files;
}

/** The files of the evaluations' systems; none where the project's file cannot be read. */
async function filesOfSystems(file: string, names: string[]): Promise<string[]> {
  const project = await readProjectFile(file).catch(() => undefined);
  if (!project) return [];
  const { definition, folder } = project;
  const systems = Object.entries(definition.evaluations)
    .filter(([name]) => names.length === 0 || names.includes(name))
    .map(([, { system }]) => system);
  const found = systems.map(async (system) => {
    // A module is watched that is not there yet, too.
    if ('module' in system) return [resolve(folder, system.module)];
    if ('http' in system) return [];
    const words = [system.command].flat().flatMap((command) => command.split(/[\s'"=]+/));
    return filesThatAre(words.map((word) => resolve(folder, word)));
  });
  return (await Promise.all(found)).flat();
}

const isCode = /\.([cm]?[jt]sx?|py|sh)$/;
const isInstalled = (path: string): boolean => /[/\\](node_modules|site-packages)[/\\]/.test(path);

/** Files that code names in quotes, by paths from its own folder or from that of the run, or imports. */
async function filesNamedIn(path: string, folder: string): Promise<string[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  const names = new Set([...quotations(text), ...(path.endsWith('.py') ? modules(text) : [])]);
  const places = new Set([dirname(path), folder]);
  const candidates = [...names].flatMap((name) =>
    [...places].flatMap((place) => spellings(name).map((spelling) => resolve(place, spelling))),
  );
  return filesThatAre([...new Set(candidates)]);
}

/** The texts between two quotes on a line: also those between two texts, since a comment may have one. */
const quotations = (text: string): string[] =>
  [...text.matchAll(/['"`]([^'"`\n]{1,300})(?=['"`])/g)].map(([, quotation]) => quotation!);

/** The modules that Python imports, as paths without an ending. */
const modules = (text: string): string[] =>
  [...text.matchAll(/^[ \t]*(?:from|import)[ \t]+([\w., \t]+?)(?:[ \t]+import\b.*)?$/gm)]
    .flatMap(([, list]) => list!.split(','))
    .map((name) => `./${name.trim().split(/\s/)[0]!.replace(/^\.+/, '').replaceAll('.', '/')}`);

/** An import may leave its ending out, or name that of the compiled file. */
function spellings(name: string): string[] {
  if (!/^\.\.?\//.test(name)) return [name];
  const bare = name.replace(/\.[cm]?js$/, '');
  const endings = ['.ts', '.mts', '.cts', '.tsx', '.js', '.json', '.py'];
  return [
    ...[name, ...endings.map((ending) => `${bare}${ending}`)],
    ...['index.ts', 'index.js', '__init__.py'].map((index) => `${name}/${index}`),
  ];
}

async function filesThatAre(paths: string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map(async (path) => {
      const isFile = await stat(path).then(
        (stats) => stats.isFile(),
        () => false,
      );
      return isFile ? [path] : [];
    }),
  );
  return found.flat();
}
