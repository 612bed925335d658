import { execFile } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { faultOf, type Wall } from './bubblewrap.ts';
import type { Launch } from './child.ts';
import { pythonProgram } from './python-program.ts';

/** How a Python process is started behind the wall, or in one sentence why it cannot be. */
export async function pythonLaunch({ wall }: { wall: Wall }): Promise<{ launch: Launch } | { reason: string }> {
  const python = await findPython().catch(() => undefined);
  if (!python) return { reason: 'python3 is not installed' };
  const { command, reads } = python;
  const launchOf = (program: string) => wall({ command, args: ['-I', '-S', '-B', '-c', program], folder: '/', reads });
  const fault = await faultOf(launchOf('import json, math, os, resource, sys'));
  return fault === undefined ? { launch: launchOf(pythonProgram) } : { reason: `python3 does not start in bubblewrap: ${fault}` };
}

/** `python3` of PATH may be a shim or a virtual environment: the interpreter says itself where it and its library are. */
async function findPython(): Promise<{ command: string; reads: string[] }> {
  const ask = 'import json, sys; print(json.dumps([sys.executable, sys.base_prefix]))';
  const { stdout } = await promisify(execFile)('python3', ['-I', '-c', ask], { timeout: 20_000 });
  const [executable, prefix] = JSON.parse(stdout) as [string, string];
  const command = await realpath(executable);
  return { command, reads: [command, join(prefix, 'lib')] };
}
