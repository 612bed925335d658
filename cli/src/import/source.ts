import { openAsBlob } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { fileOfBlob, type Source, type SourceFile } from '@assay/import/source';
import { CommandFailure } from '../failure.ts';

/** Files and folders as one source: a reader joins those that belong together. */
export async function openSource(paths: string[]): Promise<Source> {
  const files: SourceFile[] = [];
  for (const path of paths) {
    if ((await stat(path)).isDirectory()) files.push(...(await openFolder(path)));
    else files.push(fileOfBlob(basename(path), await openAsBlob(path)));
  }
  if (files.length === 0)
    throw new CommandFailure(`There is no file in ${paths.join(', ')}: name another folder.`);
  return { name: basename(resolve(paths[0]!)), files };
}

async function openFolder(folder: string): Promise<SourceFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
  return Promise.all(
    names.map(async (path) => {
      const name = path.slice(join(folder, '/').length).replaceAll('\\', '/');
      return fileOfBlob(name, await openAsBlob(path));
    }),
  );
}
