import { spawnSync } from 'node:child_process';
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { verifySha256 } from '../src/binaries/checksum.ts';
import { findBinary } from '../src/binaries.ts';
import { binaries, makeFolder } from './setting.ts';

const log = () => undefined;
const platform = `${process.platform}-${process.arch}`;

async function writeProgram({ path, version }: { path: string; version: string }): Promise<string> {
  await writeFile(path, `#!/bin/sh\necho "v${version}"\n`);
  await chmod(path, 0o755);
  return path;
}

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('findBinary', () => {
  it('finds servers that run here', async () => {
    const { mongod, nats } = await binaries();
    expect(spawnSync(mongod, ['--version'], { encoding: 'utf8' }).stdout).toMatch(
      /^db version v\d/,
    );
    expect(spawnSync(nats, ['--version'], { encoding: 'utf8' }).stdout).toMatch(
      /^nats-server: v\d/,
    );
  });

  it('takes the configured path before PATH', async () => {
    const folder = await makeFolder();
    const configuredPath = await writeProgram({ path: join(folder, 'mine'), version: '2.10.0' });
    await writeProgram({ path: join(folder, 'nats-server'), version: '2.11.0' });
    vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
    expect(await findBinary('nats-server', { configuredPath, cacheFolder: folder, log })).toBe(
      configuredPath,
    );
  });

  it('says in one sentence that the configured path is no server', async () => {
    const cacheFolder = await makeFolder();
    const found = findBinary('mongod', { configuredPath: '/nowhere/mongod', cacheFolder, log });
    await expect(found).rejects.toThrow(
      /^MONGOD_PATH names \/nowhere\/mongod, which does not run as mongod: \/nowhere\/mongod is not installed\.$/,
    );
  });

  it('refuses a configured server that is too old', async () => {
    const folder = await makeFolder();
    const configuredPath = await writeProgram({ path: join(folder, 'mongod'), version: '4.4.9' });
    await expect(
      findBinary('mongod', { configuredPath, cacheFolder: folder, log }),
    ).rejects.toThrow(/MONGOD_PATH names mongod 4\.4\.9 .* needs 6\.0\.0 or newer/);
  });

  it('passes over a server on PATH that is too old, and takes the newest of the cache', async () => {
    const [folder, cacheFolder] = [await makeFolder(), await makeFolder()];
    await writeProgram({ path: join(folder, 'nats-server'), version: '2.1.0' });
    for (const version of ['2.9.10', '2.10.4', '2.9.9']) {
      await writeProgram({
        path: join(cacheFolder, `nats-server-${version}-${platform}`),
        version,
      });
    }
    vi.stubEnv('PATH', `${folder}:/usr/bin:/bin`);
    const found = await findBinary('nats-server', { cacheFolder, log });
    expect(found).toBe(join(cacheFolder, `nats-server-2.10.4-${platform}`));
  });

  it('leaves out a program of the cache that is no longer the one that was installed', async () => {
    const cacheFolder = await makeFolder();
    const path = await writeProgram({
      path: join(cacheFolder, `nats-server-2.10.4-${platform}`),
      version: '2.10.4',
    });
    vi.stubEnv('PATH', '/usr/bin:/bin');
    const lines: string[] = [];
    const find = () =>
      findBinary('nats-server', { cacheFolder, log: (line) => void lines.push(line) });
    expect(await find()).toBe(path);
    expect(await find()).toBe(path);
    await writeFile(path, '#!/bin/sh\necho "v2.10.4" # and more\n');
    vi.stubEnv('PATH', await makeFolder());
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
    await expect(find()).rejects.toThrow('could not be fetched');
    vi.unstubAllGlobals();
    expect(lines[0]).toBe(`${path} is left out: it is not the file that was installed`);
  });

  it('warns of a mongod with known holes, and of no other', async () => {
    const folder = await makeFolder();
    const warnings = async (version: string) => {
      const lines: string[] = [];
      const configuredPath = await writeProgram({
        path: join(folder, `mongod-${version}`),
        version,
      });
      await findBinary('mongod', {
        configuredPath,
        cacheFolder: folder,
        log: (line) => void lines.push(line),
      });
      return lines;
    };
    expect(await warnings('6.0.26')).toEqual([
      `${join(folder, 'mongod-6.0.26')} is mongod 6.0.26, which has known holes (CVE-2025-14847, which Assay shuts by turning compression off): install 6.0.27 or newer, or set MONGOD_PATH to it.`,
    ]);
    expect(await warnings('7.0.27')).toHaveLength(1);
    for (const version of ['6.0.27', '7.0.28', '8.0.17', '8.2.3', '9.0.0'])
      expect(await warnings(version)).toEqual([]);
  });

  it('says in one sentence what to install where nothing can be fetched, and leaves nothing behind', async () => {
    const cacheFolder = join(await makeFolder(), 'cache');
    const emptyPath = await makeFolder();
    vi.stubEnv('PATH', emptyPath);
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('no network')));
    const found = findBinary('nats-server', { cacheFolder, log });
    await expect(found).rejects.toThrow(
      /^nats-server 2\.9\.10 or newer was not found and could not be fetched: install it \(.*NATS_URL.*\.$/,
    );
    vi.unstubAllGlobals();
    expect(await readdir(cacheFolder)).toEqual([]);
  });
});

describe('verifySha256', () => {
  it('refuses a file with another byte', async () => {
    const folder = await makeFolder();
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'abc');
    // FIPS 180-2, appendix B.1
    const sha256 = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad';
    await writeFile(file, 'abc');
    await verifySha256({ file, sha256 });
    await writeFile(file, 'abd');
    await expect(verifySha256({ file, sha256 })).rejects.toThrow(
      /abc has the SHA-256 .*, expected ba7816bf/,
    );
  });
});
