// Runs a program of this repository from a fresh clone: installs what the lockfile says, builds, and goes on as that program, in
// this same process, so that a signal reaches it. Plain JavaScript without imports from packages: nothing is installed yet.
import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const [name, ...args] = process.argv.slice(2);

const programs = {
  start: 'local/dist/main.js',
  demo: 'examples/dist/demo.js',
  admin: 'local/dist/admin.js',
  bench: 'bench/dist/main.js',
};

/** A step that ends with this process: a signal here is passed on, and the step's failure is ours. */
function step(command, commandArgs, what) {
  return new Promise((resolve) => {
    const child = spawn(command, commandArgs, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    const pass = (signal) => child.kill(signal);
    process.on('SIGINT', pass).on('SIGTERM', pass);
    child.on('error', (error) => fail(`${what} failed: ${error.message}`));
    child.on('exit', (code, signal) => {
      process.off('SIGINT', pass).off('SIGTERM', pass);
      if (signal) process.exit(1);
      if (code !== 0) fail(`${what} failed:\n${output}`);
      resolve();
    });
  });
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

const installed = join(root, 'node_modules', '.package-lock.json');
const lockfile = join(root, 'package-lock.json');
if (!existsSync(installed) || statSync(installed).mtimeMs < statSync(lockfile).mtimeMs) {
  process.stderr.write('Installing packages …\n');
  await step('npm', ['ci', '--ignore-scripts'], 'Installing the packages');
}
await step(process.execPath, [join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b', root], 'Building');

const program = name === 'service' ? servicePath(args.shift()) : programs[name];
if (!program) fail(`There is no program "${name ?? ''}"; there are ${Object.keys(programs).join(', ')} and service <name>.`);
process.argv = [process.argv[0], join(root, program), ...args];
await import(pathToFileURL(join(root, program)).href);

function servicePath(service) {
  const path = service === 'gateway' ? 'gateway/dist/main.js' : `services/${service}/dist/main.js`;
  if (!service || !existsSync(join(root, path))) fail(`There is no service "${service ?? ''}".`);
  return path;
}
