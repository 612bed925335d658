// The programs that are bundled (bundle.mjs): the name of each, and its source.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Started by `npm run`. */
const commands = {
  start: 'local/src/main.ts',
  demo: 'examples/src/demo.ts',
  admin: 'local/src/admin.ts',
  keys: 'local/src/keys.ts',
  backup: 'local/src/backup.ts',
  restore: 'local/src/restore.ts',
  gate: 'cli/src/gate/main.ts',
  assay: 'cli/src/main.ts',
};

/** Processes that have a folder of their own. */
const besideServices = ['gateway', 'mcp'];

/** The names of the processes of an installation: `npm run service` starts them. */
export function processesIn(root) {
  const services = readdirSync(join(root, 'services')).filter((name) =>
    existsSync(join(root, 'services', name, 'package.json')),
  );
  return [...services, ...besideServices];
}

/** The source of each program by its name: the processes, and the commands. */
export function programsIn(root) {
  const folderOf = (name) => (besideServices.includes(name) ? name : `services/${name}`);
  const processes = processesIn(root).map((name) => [name, `${folderOf(name)}/src/main.ts`]);
  const taken = processes.find(([name]) => name in commands);
  if (taken) throw new Error(`A service cannot be called ${taken[0]}: a command is.`);
  return { ...commands, ...Object.fromEntries(processes) };
}

/** Where the bundle of a program is, from the repository's root and from that of an image. */
export const bundleOf = (name) => `dist/bundle/${name}.js`;
