import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Returns the nearest folder above a module that holds a package.json: that of its package or, in a
 * bundle, the bundle's own. `module` is the caller's `import.meta.url`.
 */
export function packageFolder(module: string): string {
  let folder = dirname(fileURLToPath(module));
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return folder;
}
