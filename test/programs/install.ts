import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../imports.ts';
import { keptFolder, run } from '../system/packages.ts';

const installationMs = 300_000;

/** How a program is started: the command, and the environment in which it finds its packages. */
interface InstalledProgram {
  command: string;
  options: string[];
  environment: Record<string, string>;
}

/**
 * Installs a program's packages from its pins, once for each version of the file of pins. It throws
 * where that cannot be done. A registry that does not answer is asked once.
 */
export async function installProgram(name: string): Promise<InstalledProgram> {
  const source = join(root, 'test/programs', name);
  if (existsSync(join(source, 'package-lock.json'))) return installNodeProgram(name, source);
  const pins = join(source, 'requirements.txt');
  const folder = await keptFolder(folderName(name, pins), (made) =>
    run(
      'python3',
      [
        ...['-m', 'pip', 'install', '--quiet', '--no-compile', '--retries', '1', '--timeout', '15'],
        ...['--no-deps', '--require-hashes', '--target', made, '--requirement', pins],
      ],
      { timeout: installationMs },
    ),
  );
  return {
    command: 'python3',
    options: [join(source, 'main.py')],
    environment: { PYTHONPATH: folder },
  };
}

/** Node finds packages beside a program, so that the program is copied to them. */
async function installNodeProgram(name: string, source: string): Promise<InstalledProgram> {
  const pins = join(source, 'package-lock.json');
  const folder = await keptFolder(folderName(name, pins), async (made) => {
    for (const file of ['package.json', 'package-lock.json'])
      await copyFile(join(source, file), join(made, file));
    await run(
      'npm',
      [
        ...['ci', '--prefix', made, '--no-audit', '--no-fund', '--ignore-scripts'],
        ...['--fetch-retries', '1', '--fetch-timeout', '15000'],
      ],
      { timeout: installationMs },
    );
  });
  const program = join(folder, 'main.mjs');
  await copyFile(join(source, 'main.mjs'), program);
  return { command: process.execPath, options: [program], environment: {} };
}

const folderName = (name: string, pins: string): string =>
  `program-${name}-${createHash('sha256').update(readFileSync(pins)).digest('hex').slice(0, 16)}`;
