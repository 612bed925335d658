import { join, resolve } from 'node:path';
import { readConfig, serviceConfig } from '@assay/runtime/config';
import { Argument, Command } from 'commander';
import { z } from 'zod';
import { runCommand } from './backup/run-command.ts';
import { readDotEnv } from './environment.ts';
import { keepMongodbUsersAt } from './keys/mongodb-users.ts';
import { writeNatsAuthorization } from './keys/nats-users.ts';
import { keepRoots, type RootStep, rootSteps, saveRoots } from './keys/roots.ts';
import { processNames, writeKeys } from './keys/write-keys.ts';
import { Refusal } from './refusal.ts';

interface Options {
  root?: string;
  folders: boolean;
  nats?: string;
}

const steps = Object.keys(rootSteps) as RootStep[];

const sentences: Record<RootStep | 'made', string> = {
  made: 'No process may read root.json, of which all are made: keep it, and keep it apart.',
  add: 'The new root is accepted, and the one before signs: `use` is next, when every process has its new file.',
  use: 'The new root signs, and the one before is accepted: `drop` is next, when every process has its new file.',
  drop: 'The new root alone is accepted.',
};

await runCommand(async () => {
  const command = new Command('npm run keys --')
    .description(
      'Makes the keys of the gateway and of each service, and their users of MongoDB and NATS. Run again, it writes the same.',
    )
    .argument('<folder>', 'where the files of the processes are to be: ASSAY_KEYS_FOLDER')
    .addArgument(
      new Argument(
        '[step]',
        'towards a new root: add it, use it when all processes have read it, drop the one before when all sign with it',
      ).choices(steps),
    )
    .option(
      '--root <folder>',
      'where the root is kept, which no process may read (default: folder)',
    )
    .option('--folders', 'each file in a folder of its own, for containers', false)
    .option(
      '--nats <file>',
      'writes the users of NATS: a block for the configuration of nats-server',
    )
    .parse();
  const [folder = '', step] = command.args as [string, RootStep | undefined];
  const { root = folder, folders, nats } = command.opts<Options>();
  const {
    MONGODB_URI: mongodbUri,
    DATABASE_PREFIX: databasePrefix,
    SUBJECT_PREFIX: prefix,
    NATS_PASSWORD: natsPassword,
  } = readKeysConfig();
  if (nats !== undefined && natsPassword === undefined)
    throw new Refusal(
      'NATS_PASSWORD is not set: it is the password of the operator, the user "assay".',
    );
  const known = await keepRoots(resolve(root));
  const roots = step ? await saveRoots(resolve(root), rootSteps[step](known)) : known;
  if (mongodbUri !== undefined) await keepMongodbUsersAt(mongodbUri, { roots, databasePrefix });
  await writeKeys({
    folderOf: (process) => (folders ? join(resolve(folder), process) : resolve(folder)),
    roots,
    users: { mongodb: mongodbUri !== undefined, nats: nats !== undefined },
  });
  if (nats !== undefined)
    await writeNatsAuthorization(nats, {
      prefix,
      roots,
      password: natsPassword!,
      isForContainers: folders,
    });
  process.stdout.write(
    `The keys of ${processNames.length} processes are in ${folder}. ${sentences[step ?? 'made']}\n`,
  );
});

function readKeysConfig() {
  readDotEnv();
  const { MONGODB_URI, DATABASE_PREFIX, SUBJECT_PREFIX } = serviceConfig;
  return readConfig({
    MONGODB_URI: MONGODB_URI.optional(),
    DATABASE_PREFIX,
    SUBJECT_PREFIX,
    NATS_PASSWORD: z.string().min(1).optional(),
  });
}
