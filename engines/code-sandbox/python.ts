import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { faultOf, type Wall } from './bubblewrap.ts';
import type { Launch } from './child.ts';
import { librariesOf } from './libraries.ts';
import { pythonProgram } from './python-program.ts';

/** How a Python process is started behind the wall, or in one sentence why it cannot be. */
export async function pythonLaunch({
  wall,
}: {
  wall: Wall;
}): Promise<{ launch: Launch } | { reason: string }> {
  const python = await findPython().catch(() => undefined);
  if (!python) return { reason: 'python3 is not installed' };
  const { command, modules, hidden } = python;
  const reads = [command, ...python.reads, ...(await librariesOf([command, ...modules]))];
  const launchOf = (program: string) =>
    wall({ command, args: ['-I', '-S', '-B', '-c', program], folder: '/', reads, hidden });
  const fault = await faultOf(launchOf('import json, math, os, resource, sys'));
  return fault === undefined
    ? { launch: launchOf(pythonProgram) }
    : { reason: `python3 does not start in bubblewrap: ${fault}` };
}

interface Python {
  command: string;
  /** The paths of Python's own library, without installed packages. */
  reads: string[];
  hidden: string[];
  /** Files of the library that need libraries of the system. */
  modules: string[];
}

/**
 * Tells where the interpreter and its library are: `python3` of PATH may be a shim or a virtual
 * environment.
 */
const question = `
import glob, json, os, sys
reads = [path for path in sys.path if os.path.exists(path)]
hidden = [path for folder in reads for name in ("site-packages", "dist-packages") for path in glob.glob(os.path.join(folder, name))]
modules = [path for folder in reads for path in glob.glob(os.path.join(folder, "*.so"))]
print(json.dumps({"command": os.path.realpath(sys.executable), "reads": reads, "hidden": hidden, "modules": modules}))
`;

async function findPython(): Promise<Python> {
  const { stdout } = await promisify(execFile)('python3', ['-I', '-S', '-c', question], {
    timeout: 20_000,
  });
  return JSON.parse(stdout) as Python;
}
