import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';

/**
 * Libraries that a program loads by name at run time, so that ldd does not list them. glibc needs
 * this one for threads that end.
 */
const loadedLater = ['libgcc_s.so.1'];

/**
 * The libraries of programs and of their native modules, and the loader, as the system's own loader
 * finds them. None for programs that are linked statically.
 */
export async function librariesOf(files: string[]): Promise<string[]> {
  // ldd exits with 1 if a file is linked statically, but still lists the libraries of the other
  // files.
  const listing = await new Promise<string>((resolve) =>
    execFile('ldd', files, { env: {}, timeout: 20_000 }, (_, stdout) => resolve(stdout)),
  );
  const libraries = [...listing.matchAll(/^\t(?:\S+ => )?(\/\S+) \(0x/gm)].map(([, path]) => path!);
  const folders = libraries.filter((path) => /\/libc\.so/.test(path)).map((path) => dirname(path));
  return [
    ...new Set([
      ...libraries,
      ...folders.flatMap((folder) => loadedLater.map((name) => join(folder, name))),
    ]),
  ];
}
