// What stands between a fresh clone and a program of it: the packages of the lockfile, and the build. Plain JavaScript without
// imports from packages: nothing is installed yet.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..');

/**
 * Installs what the lockfile says, unless that is done. Ends the process when it cannot. Not by `npm ci`: that refuses a lockfile
 * which lacks an optional package for some other platform, as one made behind a registry without it does.
 */
export async function install() {
  const installed = join(root, 'node_modules', '.package-lock.json');
  const lockfile = join(root, 'package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs) return;
  process.stderr.write('Installing packages …\n');
  const { passed, output } = await step('npm', ['install', '--no-save', '--ignore-scripts']);
  if (!passed) fail(`Installing the packages failed:\n${output}`);
}

/** Builds every package that a process or a worker thread is made of. */
export const build = () => step(process.execPath, [tool('typescript', 'bin/tsc'), '-b', root]);

/** A program of an installed package, to be run by node. */
export const tool = (name, path) => join(root, 'node_modules', name, path);

/**
 * A child that ends with this process: a signal here is passed on, to the child's own children too, and ends what would have come
 * next.
 */
export function step(command, args, { stdio = ['ignore', 'pipe', 'pipe'], env = process.env, onMessage } = {}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio, env, detached: true });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk));
    if (onMessage) child.on('message', onMessage);
    let stopping = false;
    const pass = (signal) => {
      stopping = true;
      try {
        process.kill(-child.pid, signal);
      } catch {
        // All of them have ended already.
      }
    };
    process.on('SIGINT', pass).on('SIGTERM', pass);
    child.on('error', (error) => fail(`${command} cannot be run: ${error.message}`));
    child.on('close', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      if (stopping || signal === 'SIGINT' || signal === 'SIGTERM') process.exit(1);
      resolve({ passed: code === 0, output });
    });
  });
}

export function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
