import { resolve } from 'node:path';
import { Command } from 'commander';
import { findRunning } from './backup/installation.ts';
import { makeBackup } from './backup/make.ts';
import { runCommand } from './backup/run-command.ts';

await runCommand(async ({ signal, say }) => {
  const command = new Command('npm run backup --')
    .description(
      'Backs up an installation while it runs: databases and attachments, as they were at one moment, into a new folder.',
    )
    .argument('<folder>', 'where the backup is to be')
    .option(
      '--without-attachments',
      'for attachments in a bucket, which has a backup of its own',
      false,
    )
    .parse();
  const { withoutAttachments } = command.opts<{ withoutAttachments: boolean }>();
  const to = resolve(command.args[0]!);
  const { databases, attachmentsFolder, close } = await findRunning({ withoutAttachments });
  if (attachmentsFolder === undefined && !withoutAttachments)
    say(
      'The attachments lie in a bucket, which has a backup of its own: they are not in this one.',
    );
  try {
    const { collections } = await makeBackup({ databases, attachmentsFolder, to, say, signal });
    const documents = collections.reduce((sum, each) => sum + each.documents, 0);
    process.stdout.write(
      `The backup is in ${to}: ${documents} documents. It holds all data and the hashes of all keys: keep it secret.\n`,
    );
  } finally {
    await close();
  }
});
