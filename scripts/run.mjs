// Runs a program of this repository from a fresh clone: installs what the lockfile says, builds,
// and goes on as that program, in this same process, so that a signal reaches it.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, fail, install, root } from './prepare.mjs';
import { bundleOf, processesIn, programsIn } from './programs.mjs';

const [name, ...args] = process.argv.slice(2);

const processes = processesIn(root);
const commands = Object.keys(programsIn(root)).filter((each) => !processes.includes(each));
const programs = {
  ...Object.fromEntries(commands.map((each) => [each, bundleOf(each)])),
  // They are run from a clone only, and seldom.
  'judges:check': 'examples/dist/judges-check.js',
  bench: 'bench/dist/main.js',
};

// A 1 of the gate and of `assay` is an answer: a program that cannot be started could not tell.
function asCannotTell() {
  process.exitCode = 2;
}
if (name === 'gate' || name === 'assay') process.once('exit', asCannotTell);

// Told before anything is installed or built.
const program = name === 'service' ? servicePath(args.shift()) : programs[name];
if (!program)
  fail(
    `There is no program "${name ?? ''}"; there are ${Object.keys(programs).join(', ')} and service <name>.`,
  );

await install();
const { passed, output } = await build();
if (!passed) fail(`Building failed:\n${output}`);

process.off('exit', asCannotTell);
process.argv = [process.argv[0], join(root, program), ...args];
await import(pathToFileURL(join(root, program)).href);

function servicePath(service) {
  const names = processes.join(', ');
  if (service === undefined)
    fail(`Name the service: npm run service -- <name>. There are ${names}.`);
  if (!processes.includes(service)) fail(`There is no service "${service}"; there are ${names}.`);
  return bundleOf(service);
}
