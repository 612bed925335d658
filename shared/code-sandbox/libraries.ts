import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

/** What a program loads by name while it runs, so that ldd does not tell: glibc needs it for threads that end. */
const loadedLater = ['libgcc_s.so.1'];

/**
 * The libraries of programs and of their native modules, and the loader, as the system's own loader finds them. None for programs that
 * are linked statically.
 */
export async function librariesOf(files: string[]): Promise<string[]> {
  // It ends with 1 when one of them is linked statically; the others are told all the same.
  const told = await new Promise<string>((resolve) => execFile('ldd', files, { env: {}, timeout: 20_000 }, (_, stdout) => resolve(stdout)));
  const libraries = [...told.matchAll(/^\t(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path!);
  const folders = libraries.filter((path) => /\/libc\.so/.test(path)).map((path) => dirname(path));
  return [...new Set([...libraries, ...folders.flatMap((folder) => loadedLater.map((name) => join(folder, name)))])];
}
