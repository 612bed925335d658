import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const run = promisify(execFile);

const cacheFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'assay');

/**
 * A folder that is filled once and then kept in the cache folder under its name. An error of
 * the filling is thrown on.
 */
export async function keptFolder(
  name: string,
  fill: (folder: string) => Promise<unknown>,
): Promise<string> {
  const folder = join(cacheFolder, name.replaceAll(/[^\w.-]/g, '-'));
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder, { recursive: true });
  const made = await mkdtemp(`${folder}.`);
  try {
    await fill(made);
    await rename(made, folder);
    return folder;
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    if (existsSync(folder)) return folder;
    throw error;
  }
}

/**
 * The folder with some packages of another ecosystem, installed once in the cache folder; null where
 * no package registry can be reached, which CI must be able to do.
 */
async function installed(
  packages: string[],
  install: (folder: string) => Promise<unknown>,
): Promise<string | null> {
  try {
    return await keptFolder(`packages-${packages.join('_')}`, install);
  } catch (error) {
    if (process.env.CI) throw error;
    return null;
  }
}

/** A folder whose `node_modules` has these packages. */
export const npmPackages = (...packages: string[]): Promise<string | null> =>
  installed(packages, (folder) =>
    run('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', ...packages]),
  );

/** A folder for `PYTHONPATH` with these packages. */
export const pythonPackages = (...packages: string[]): Promise<string | null> =>
  installed(packages, (folder) =>
    run('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, ...packages]),
  );
