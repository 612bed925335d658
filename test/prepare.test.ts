import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { root } from './imports.ts';

const wanted = {
  'node_modules/a': {
    version: '1.0.0',
    resolved: 'https://registry.invalid/a.tgz',
    integrity: 'sha512-AAAA',
  },
};

/**
 * A clone of a repository with one package, and an npm in its place that "installs" what is told.
 */
async function clone(found?: object): Promise<{ folder: string; path: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-clone-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'bin');
  for (const name of ['bin', 'scripts', 'node_modules']) await mkdir(join(folder, name));
  await cp(join(root, 'scripts', 'prepare.mjs'), join(folder, 'scripts', 'prepare.mjs'));
  const own = { name: 'clone', version: '1.0.0', dependencies: { a: '1.0.0' } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(own));
  const lockfile = {
    name: 'clone',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: { '': own, ...wanted },
  };
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lockfile));
  if (found) {
    const installed = `cat > node_modules/.package-lock.json <<'END'\n${JSON.stringify({ packages: found })}\nEND\n`;
    await writeFile(join(path, 'npm'), `#!/bin/sh\n${installed}`);
    await chmod(join(path, 'npm'), 0o755);
  }
  return { folder, path };
}

async function install(
  { folder, path }: { folder: string; path: string },
  environment: Record<string, string> = {},
) {
  const { PATH = '' } = process.env;
  const child = spawn(
    process.execPath,
    ['-e', "import('./scripts/prepare.mjs').then(({ install }) => install())"],
    {
      cwd: folder,
      env: { PATH: `${path}:${PATH}`, HOME: folder, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let err = '';
  child.stderr.on('data', (chunk) => (err += chunk));
  await once(child, 'close');
  return { code: child.exitCode, err };
}

describe('installing the packages of a fresh clone', () => {
  test('without a way to the registry ends with the words of npm and a sentence that says what to do', async () => {
    const { code, err } = await install(await clone(), {
      npm_config_registry: 'http://127.0.0.1:1',
    });
    expect(code).toBe(1);
    expect(err).toContain('npm error');
    expect(err.trimEnd().split('\n').at(-1)).toMatch(
      /^The packages could not be installed: npm says above why\. .*\(npm config set registry <url>/,
    );
  });

  test.each([
    [
      'another version',
      { ...wanted, 'node_modules/a': { ...wanted['node_modules/a'], version: '1.0.1' } },
      'node_modules/a is 1.0.1 in place of 1.0.0',
    ],
    [
      'other bytes',
      { ...wanted, 'node_modules/a': { ...wanted['node_modules/a'], integrity: 'sha512-BBBB' } },
      'node_modules/a has other bytes',
    ],
    [
      'a package that is not in the lockfile',
      { ...wanted, 'node_modules/b': { version: '1.0.0' } },
      'node_modules/b is not in it',
    ],
    ['nothing', {}, 'node_modules/a is missing'],
  ])('%s is refused, at the next start too', async (_what, found, reason) => {
    const place = await clone(found);
    for (let start = 0; start < 2; start++) {
      const { code, err } = await install(place);
      expect(code).toBe(1);
      expect(err).toContain(
        `What npm installed is not what package-lock.json says: ${reason}. Remove node_modules, and try again.`,
      );
    }
  });

  test('what the lockfile says is taken, and an optional package of this platform that it lacks', async () => {
    const found = { ...wanted, 'node_modules/c': { version: '1.0.0', optional: true } };
    expect(await install(await clone(found))).toMatchObject({ code: 0 });
  });

  test('nothing is installed where all is as the lockfile says, however new the file is', async () => {
    const place = await clone(wanted);
    expect((await install(place)).err).toContain('Installing packages');
    const later = new Date(Date.now() + 60_000);
    await utimes(join(place.folder, 'package-lock.json'), later, later);
    expect(await install(place)).toEqual({ code: 0, err: '' });
  });
});

test('npm run service without a name, or with a wrong one, lists the services', async () => {
  const names = [...(await readdir(join(root, 'services'))), 'gateway', 'mcp'].join(', ');
  for (const [args, beginning] of [
    [[], 'Name the service: npm run service -- <name>. There are '],
    [['nowhere'], 'There is no service "nowhere"; there are '],
  ] as const) {
    const child = spawn(process.execPath, ['scripts/run.mjs', 'service', ...args], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (chunk) => (err += chunk));
    await once(child, 'close');
    expect([child.exitCode, err]).toEqual([1, `${beginning}${names}.\n`]);
  }
});
