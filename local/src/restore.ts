import { resolve } from 'node:path';
import { Command } from 'commander';
import { findRunning, openStopped } from './backup/installation.ts';
import { restoreBackup, verifyBackup } from './backup/put-back.ts';
import { runCommand } from './backup/run-command.ts';

await runCommand(async ({ signal, say }) => {
  const command = new Command('npm run restore --')
    .description(
      'Puts a backup into an empty installation that is not running, and compares all of it with the backup.',
    )
    .argument('<folder>', 'where the backup is')
    .option('--verify', 'only compare an installation with the backup', false)
    .option(
      '--without-attachments',
      'for attachments in a bucket, which has a backup of its own',
      false,
    )
    .parse();
  const { verify, ...wanted } = command.opts<{ verify: boolean; withoutAttachments: boolean }>();
  const from = resolve(command.args[0]!);
  const running = verify ? await findRunning(wanted).catch(() => undefined) : undefined;
  const { databases, attachmentsFolder, finish, close } =
    running ?? (await openStopped({ ...wanted, isNew: !verify, say }));
  try {
    if (verify) {
      await verifyBackup({ databases, attachmentsFolder, from, say, signal });
    } else {
      await restoreBackup({ databases, attachmentsFolder, from, say, signal });
      await finish();
      process.stdout.write(
        'The backup is restored: start Assay now. URLs of uploads and lists that were under way begin anew.\n',
      );
    }
  } finally {
    await close();
  }
});
