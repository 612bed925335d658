import { resolve } from 'node:path';
import { Command } from 'commander';
import { checkBackup } from './backup/check.ts';
import { findInstallation, openNew } from './backup/installation.ts';
import { compareWithBackup, restoreBackup } from './backup/put-back.ts';
import { runCommand } from './backup/run-command.ts';

await runCommand(async ({ signal, say }) => {
  const command = new Command('npm run restore --')
    .description(
      'Puts a backup into an empty installation that is not running, and compares all of it with the backup.',
    )
    .argument('<folder>', 'where the backup is')
    .option('--verify', 'only check the backup itself, and compare an installation with it', false)
    .option(
      '--without-attachments',
      'for attachments in a bucket, which has a backup of its own',
      false,
    )
    .parse();
  const options = command.opts<{ verify: boolean; withoutAttachments: boolean }>();
  const from = resolve(command.args[0]!);
  const { withoutAttachments } = options;
  const work = options.verify ? verify : restore;
  await work({ withoutAttachments, from, say, signal });
});

interface RestoreRequest {
  withoutAttachments: boolean;
  from: string;
  say: (line: string) => void;
  signal: AbortSignal;
}

async function verify({ withoutAttachments, ...wanted }: RestoreRequest): Promise<void> {
  await checkBackup(wanted);
  const installation = await findInstallation({ withoutAttachments, say: wanted.say });
  if (!installation)
    return wanted.say(
      'No installation was found to compare it with: name one by ASSAY_DATA_DIR, or by MONGODB_URI and ATTACHMENTS_FOLDER.',
    );
  try {
    await compareWithBackup({ ...installation, ...wanted });
  } finally {
    await installation.close();
  }
}

async function restore({ withoutAttachments, ...wanted }: RestoreRequest): Promise<void> {
  const installation = await openNew({ withoutAttachments, say: wanted.say });
  try {
    await restoreBackup({ ...installation, ...wanted });
    await installation.finish();
  } finally {
    await installation.close();
  }
  process.stdout.write(
    'The backup is restored: start Assay now. URLs of uploads and lists that were under way begin anew.\n',
  );
}
