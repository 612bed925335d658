import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { evaluate } from './evaluation.ts';
import { startLaptop, startProgram } from './laptop.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-backup-commands-'));
});
afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

async function runProgram(name: string, args: string[], dataFolder: string) {
  const program = startProgram(name, args, { ASSAY_DATA_DIR: dataFolder });
  const code = await program.ended;
  return { code, said: program.said() };
}

/** A backup that is whole, which the first test that needs one makes. */
let backupMade: string | undefined;
async function madeBackup(): Promise<string> {
  if (backupMade !== undefined) return backupMade;
  const [old, backup] = [join(folder, 'old-half'), join(folder, 'backup-half')];
  const laptop = await startLaptop(old);
  onTestFinished(laptop.stop);
  await runProgram('backup', [backup], old);
  await laptop.stop();
  backupMade = backup;
  return backup;
}

test('what a laptop runs is backed up by one command, and restored by another into a new data folder, where all of it goes on', async () => {
  const [old, fresh, backup] = ['old', 'fresh', 'backup'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const first = await startLaptop(old);
  onTestFinished(first.stop);
  const { run, project } = await evaluate(first.call);
  // What an installation still counts would differ from its backup.
  await expect
    .poll(async () => {
      const { points } = (await first.call('GET', `/projects/${project.id}/trends`)).body;
      return points.map(({ isBehind = false }) => isBehind);
    })
    .toEqual([false]);
  const made = await runProgram('backup', [backup], old);
  expect([made.code, made.said]).toEqual([
    0,
    expect.stringContaining('run-records.records: 4 documents\n'),
  ]);
  expect((await runProgram('restore', ['--verify', backup], old)).said).toContain(
    'are as in the backup.',
  );
  backupMade = backup;
  expect((await runProgram('backup', [backup], old)).said).toBe(
    `${backup} is there already: name another folder.\n`,
  );
  expect((await runProgram('restore', [backup], old)).said).toBe(
    `The data folder ${old} is not empty: name a new one by ASSAY_DATA_DIR.\n`,
  );
  await first.stop();
  const nowhere = join(folder, 'nowhere');
  const alone = await runProgram('restore', ['--verify', backup], nowhere);
  expect([alone.code, alone.said]).toEqual([
    0,
    expect.stringMatching(/^The backup is whole: .*\nNo installation was found/),
  ]);
  expect(await readdir(folder)).not.toContain('nowhere');
  expect((await runProgram('backup', [join(folder, 'none')], old)).said).toBe(
    'Assay is not running here: start it with `npm start`, or set MONGODB_URI and ATTACHMENTS_FOLDER.\n',
  );

  const restored = await runProgram('restore', [backup], fresh);
  expect([restored.code, restored.said]).toEqual([
    0,
    expect.stringContaining('are as in the backup.\n'),
  ]);
  const second = await startLaptop(fresh);
  onTestFinished(second.stop);
  const summary = await second.call('GET', `/runs/${run.id}/summary`, undefined, {
    key: first.key,
  });
  expect(summary.body.metrics[0]).toMatchObject({ count: 4, passRate: 0.75 });
});

test('a restore that ends half-way leaves nothing that would be taken for the whole', async () => {
  const backup = await madeBackup();
  const fresh = join(folder, 'fresh-half');
  const restoring = startProgram('restore', [backup], { ASSAY_DATA_DIR: fresh });
  restoring.child.stderr!.on(
    'data',
    (chunk) => String(chunk).includes('documents') && restoring.child.kill('SIGKILL'),
  );
  await restoring.ended;
  const started = startProgram('start', [], { ASSAY_DATA_DIR: fresh, PORT: '0' });
  expect([await started.ended, started.said()]).toEqual([
    1,
    `The data folder ${fresh} belongs to version unfinished-restore and this is version 1: name another one.\n`,
  ]);
  expect(await readdir(folder)).not.toContain(`${basename(backup)}.unfinished`);
});
