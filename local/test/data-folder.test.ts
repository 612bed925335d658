import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataFolder } from '../src/data-folder.ts';
import { isRunning, recordOf, writeRecord } from '../src/process-record.ts';
import { makeFolder } from './setting.ts';

async function startSleeper() {
  const sleeper = spawn('sleep', ['600'], { stdio: 'ignore' });
  onTestFinished(() => {
    sleeper.kill('SIGKILL');
  });
  await once(sleeper, 'spawn');
  return { sleeper, record: (await recordOf(sleeper.pid!))! };
}

async function deadRecord() {
  const { sleeper, record } = await startSleeper();
  sleeper.kill('SIGKILL');
  await once(sleeper, 'exit');
  return record;
}

describe('openDataFolder', () => {
  it('lets exactly one of many starts at once have a new folder', async () => {
    const folder = join(await makeFolder(), 'data');
    const starts = await Promise.allSettled(
      Array.from({ length: 12 }, () => openDataFolder({ folder, version: '1' })),
    );
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const refusal = starts.find((start) => start.status === 'rejected');
    expect(refusal?.reason.message).toBe(
      `The data folder ${folder} is in use by process ${process.pid}: stop it, or name another folder.`,
    );
  });

  it.each([
    ['a launcher that is gone', async () => JSON.stringify(await deadRecord())],
    ['a machine that went down while it was written', async () => ''],
    [
      'a process whose pid another one has now',
      async () => JSON.stringify({ pid: process.pid, startedAt: 'earlier' }),
    ],
  ])(
    'lets exactly one of many starts at once take over the lock of %s',
    async (_owner, makeLock) => {
      const folder = await makeFolder();
      await writeFile(join(folder, 'lock'), await makeLock());
      const starts = await Promise.allSettled(
        Array.from({ length: 12 }, () => openDataFolder({ folder, version: '1' })),
      );
      expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(JSON.parse(await readFile(join(folder, 'lock'), 'utf8'))).toMatchObject({
        pid: process.pid,
      });
      expect((await readdir(folder)).sort()).toEqual(['lock', 'version']);
    },
  );

  it('can be opened again after it was closed', async () => {
    const folder = await makeFolder();
    const first = await openDataFolder({ folder, version: '1' });
    await first.close();
    const second = await openDataFolder({ folder, version: '1' });
    expect(second.folder).toBe(folder);
  });

  it('refuses a folder of another version in one sentence, and does not hold it', async () => {
    const folder = await makeFolder();
    await (await openDataFolder({ folder, version: '1' })).close();
    for (const _ of [1, 2]) {
      await expect(openDataFolder({ folder, version: '2' })).rejects.toThrow(
        `The data folder ${folder} belongs to version 1 and this is version 2: name another one.`,
      );
    }
    await (await openDataFolder({ folder, version: '1' })).close();
  });

  it("refuses a folder that holds someone else's files", async () => {
    const folder = await makeFolder();
    await writeFile(join(folder, 'thesis.txt'), 'do not touch');
    await expect(openDataFolder({ folder, version: '1' })).rejects.toThrow(
      `The data folder ${folder} holds files that are not Assay's (thesis.txt): name another one.`,
    );
    expect(await readdir(folder)).toEqual(['thesis.txt']);
  });

  it('says in one sentence that the path is a file, or cannot be written', async () => {
    const file = join(await makeFolder(), 'file');
    await writeFile(file, '');
    await expect(openDataFolder({ folder: file, version: '1' })).rejects.toThrow(
      `The data folder ${file} is not a folder: name another one.`,
    );
    const below = join(file, 'data');
    await expect(openDataFolder({ folder: below, version: '1' })).rejects.toThrow(
      `The data folder ${below} cannot be written to (ENOTDIR): name another one.`,
    );
  });

  it('closes the folder to other users of the machine, one that was open too, but never one that is not its own', async () => {
    const modeOf = async (folder: string) => (await stat(folder)).mode & 0o777;
    const [fresh, old, strange] = [
      join(await makeFolder(), 'new'),
      await makeFolder(),
      await makeFolder(),
    ];
    for (const folder of [old, strange]) await chmod(folder, 0o755);
    await writeFile(join(strange, 'photo.jpg'), '');
    for (const folder of [fresh, old]) {
      await (await openDataFolder({ folder, version: '1' })).close();
      expect(await modeOf(folder)).toBe(0o700);
    }
    await expect(openDataFolder({ folder: strange, version: '1' })).rejects.toThrow(
      "files that are not Assay's",
    );
    expect(await modeOf(strange)).toBe(0o755);
  });

  it('ends exactly the processes that an earlier launcher left behind', async () => {
    const folder = await makeFolder();
    await (await openDataFolder({ folder, version: '1' })).close();
    const [left, reused] = [await startSleeper(), await startSleeper()];
    await mkdir(join(folder, 'mongodb'));
    await writeRecord({ file: join(folder, 'mongodb.pid'), record: left.record });
    await writeRecord({
      file: join(folder, 'nats.pid'),
      record: { pid: reused.record.pid, startedAt: 'before it was reused' },
    });
    await openDataFolder({ folder, version: '1' });
    expect(await isRunning(left.record)).toBe(false);
    expect(await isRunning(reused.record)).toBe(true);
    await expect(access(join(folder, 'nats.pid'))).rejects.toThrow('ENOENT');
  });
});
