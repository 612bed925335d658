import { printable } from '@assay/client/printable';
import { table } from '@assay/client/table';
import type { Asks } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { identity, type OperatedOrganization, type Role, role } from '@assay/contracts/identity';
import type { LimitChange } from '@assay/contracts/limits';
import { ForeignReply } from '@assay/runtime/bus/asking';
import { type Bus, connectBus } from '@assay/runtime/bus/bus';
import {
  ConfigurationError,
  type NatsConfig,
  natsConfig,
  operatorConfig,
  processConfig,
  publicUrl,
  readConfig,
  serviceConfig,
} from '@assay/runtime/config';
import { createLog } from '@assay/runtime/log';
import { operatorIdentity as operator } from '@assay/runtime/signature';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { handleDeadLetters } from './dead-letters.ts';
import { readDotEnv } from './environment.ts';
import { eraseInSteps, eraseOrganization, forgottenTable, placeTable } from './erasure.ts';
import { checkIsNew, handOver, keyFileHelp } from './key-file.ts';
import { limitTable, readLimits } from './limits.ts';
import { createKey, createLoginLink, createOrganization } from './organization.ts';
import { Refusal } from './refusal.ts';
import { readRunning } from './running.ts';

const { NATS_URL, SUBJECT_PREFIX } = processConfig;
const connection = {
  NATS_URL,
  SUBJECT_PREFIX,
  ...operatorConfig,
  /** The links to sign in begin with it. */
  PUBLIC_URL: publicUrl.optional(),
};
type Connection = ReturnType<typeof readConfig<typeof connection>> & NatsConfig;

await run();

/**
 * Runs the operator's commands, which ask identity over the bus. A command that makes a key prints
 * it as its last line: the key is made here, and identity gets its hash.
 */
async function run(): Promise<void> {
  try {
    await commands().parseAsync();
    process.exit(0);
  } catch (error) {
    process.stderr.write(`${sentenceOf(error)}\n`);
    process.exit(1);
  }
}

function commands(): Command {
  const program = new Command('admin').description(
    'Organizations, keys, sign-ins and limits of this installation.',
  );
  program
    .command('create-organization <name>')
    .description("make an organization with its first admin; the last line is that admin's key")
    .option('--email <address>', "the first admin's e-mail address")
    .option('--unless-there', 'make none where one has this name, and no key')
    .option('--key-file <file>', keyFileHelp)
    .action(makeOrganization);
  program
    .command('rename-organization <organizationId> <name>')
    .description('give an organization another name; its id, keys and data stay')
    .action(renameOrganization);
  program
    .command('suspend-organization <organizationId>')
    .description(
      'refuse all requests of an organization, and do nothing for it that costs; its data is kept',
    )
    .action(suspendOrganization);
  program
    .command('resume-organization <organizationId>')
    .description('serve a suspended organization again; what waited goes on')
    .action(resumeOrganization);
  program
    .command('delete-organization <organizationId>')
    .description(
      'delete a suspended organization with all that it has, and show what is left in every place: zero; may be interrupted and run again',
    )
    .option('--yes', 'it is meant: nothing brings the organization back but a backup')
    .action(deleteOrganization);
  program
    .command('forget <organizationId> <user>')
    .description(
      "erase a person, by a user id or an e-mail address: name, address, keys, sessions and logins; what they authored stays, under an id that is nobody's",
    )
    .action(forgetPerson);
  program
    .command('forget-trace-user <organizationId> <userId>')
    .description(
      "erase all traces of a user of an organization's systems, by the id in their spans",
    )
    .action(forgetTraceUser);
  program
    .command('forget-session <organizationId> <sessionId>')
    .description(
      'erase the traces and attachments of a session, by the id that they name; records that name it stay',
    )
    .action(forgetSession);
  program
    .command('list-organizations')
    .description('list all organizations, oldest first')
    .action(listOrganizations);
  program
    .command('create-key <organizationId>')
    .description("make a key of an organization's first admin; the last line is the key")
    .addOption(
      new Option('--role <role>', 'what the key may do').choices(role.options).default('admin'),
    )
    .option('--name <name>', 'what the key is called', 'Made by the operator')
    .option('--key-file <file>', keyFileHelp)
    .action(makeKey);
  program
    .command('revoke-key <apiKeyId>')
    .description('revoke a key, everywhere within a second')
    .action(revokeKey);
  program
    .command('login-link <member>')
    .description(
      "make a link that signs a member in with a browser, once within 10 minutes; the member is an e-mail address, a user id, or an organization's id for its first admin; the last line is the link",
    )
    .action(makeLoginLink);
  program
    .command('limits <organizationId> [limits...]')
    .description(
      "show what an organization may and has used; limits such as records=5000000 trace-bytes-per-day=10GiB are set first, and records=default takes one back, so that the installation's holds",
    )
    .action(showLimits);
  program
    .command('dead-letters [numbers...]')
    .description(
      'list the events and jobs that services gave up, or show those with these numbers whole; `all` is every one',
    )
    .option('--send-again', 'send them again, once their cause is mended')
    .action(dealWithDeadLetters);
  program
    .command('migrate')
    .description(
      "migrate every service's database beforehand, as its process would at its start; MONGODB_URI is where",
    )
    .action(migrateDatabases);
  return program;
}

async function migrateDatabases(): Promise<void> {
  const { uri, prefix } = await findDatabases();
  // The commands beside this one do without the driver and the services.
  const { migrateAll } = await import('./migrate.ts');
  const log = createLog({ name: 'admin', level: 'silent' });
  await migrateAll({
    uri,
    prefix,
    log,
    tell: (service, applied) =>
      print(
        `${service}: ${applied.length === 0 ? 'nothing to migrate' : `applied ${applied.join(', ')}`}`,
      ),
  });
}

/** Returns where the databases are, by the environment or by the file of the running launcher. */
async function findDatabases(): Promise<{ uri: string; prefix: string }> {
  readDotEnv();
  const { MONGODB_URI, DATABASE_PREFIX } = serviceConfig;
  const { ASSAY_DATA_DIR, ...given } = readConfig({
    MONGODB_URI: MONGODB_URI.optional(),
    DATABASE_PREFIX,
    ASSAY_DATA_DIR: z.string().default('.assay'),
  });
  if (given.MONGODB_URI !== undefined)
    return { uri: given.MONGODB_URI, prefix: given.DATABASE_PREFIX };
  const running = await readRunning(ASSAY_DATA_DIR).catch(refuse);
  if (!running)
    throw new Refusal('MONGODB_URI is not set, and Assay is not running here: set MONGODB_URI.');
  return { uri: running.mongodbUri, prefix: running.databasePrefix };
}

interface NewOrganization {
  email?: string;
  unlessThere?: true;
  keyFile?: string;
}

async function makeOrganization(name: string, options: NewOrganization): Promise<void> {
  const { email, unlessThere, keyFile: file } = options;
  const ask = await askIdentity();
  const present = unlessThere && (await allOrganizations(ask)).find((each) => each.name === name);
  if (present) {
    print(`Organization ${present.id} has this name already. Nothing was made.`);
    return;
  }
  if (file !== undefined) await checkIsNew(file);
  const { organization, key } = await createOrganization(ask, { name, email });
  const made = `Organization ${organization.id} was made.`;
  print(...(await handOver(key, { file, made, whose: 'the key of its admin' })));
}

async function renameOrganization(organizationId: string, name: string): Promise<void> {
  await (await askIdentity()).renameOrganization(operator, { organizationId, name });
  print(`Organization ${organizationId} is called ${printable(name)} now.`);
}

async function suspendOrganization(organizationId: string): Promise<void> {
  await (await askIdentity()).suspendOrganization(operator, { organizationId });
  print(`Organization ${organizationId} is suspended. Its requests are refused, its data is kept.`);
}

async function resumeOrganization(organizationId: string): Promise<void> {
  await (await askIdentity()).resumeOrganization(operator, { organizationId });
  print(`Organization ${organizationId} is served again.`);
}

async function deleteOrganization(
  organizationId: string,
  { yes: isMeant }: { yes?: true },
): Promise<void> {
  if (!isMeant)
    throw new Refusal(
      'This deletes the organization with all that it has, and nothing brings it back but a backup: add --yes.',
    );
  const places = await eraseOrganization({
    ask: await askIdentity(),
    organizationId,
    tell: (sentence) => print(sentence),
  });
  print(
    ...placeTable(places),
    `Organization ${organizationId} is deleted: nothing of it is left in any of these places.`,
  );
}

async function forgetPerson(organizationId: string, user: string): Promise<void> {
  const { userId, places } = await (await askIdentity()).forgetPerson(operator, {
    organizationId,
    user,
  });
  print(
    ...forgottenTable(places),
    places.some(({ erased }) => erased > 0)
      ? `The person ${userId} is forgotten: what they authored has this id, which is nobody's.`
      : `Nothing of a person with the id ${userId} was there.`,
  );
}

async function forgetTraceUser(organizationId: string, userId: string): Promise<void> {
  const ask = await askIdentity();
  print(
    ...forgottenTable(
      await eraseInSteps(() => ask.forgetTraces(operator, { organizationId, userId })),
    ),
  );
}

async function forgetSession(organizationId: string, sessionId: string): Promise<void> {
  const ask = await askIdentity();
  print(
    ...forgottenTable(
      await eraseInSteps(() => ask.forgetSession(operator, { organizationId, sessionId })),
    ),
    'Records that name this session are data of their runs, and stay.',
  );
}

async function allOrganizations(ask: Asks<typeof identity>): Promise<OperatedOrganization[]> {
  const organizations: OperatedOrganization[] = [];
  for (let after: string | null | undefined; after !== null; ) {
    const page = await ask.listOrganizations(operator, { after });
    organizations.push(...page.organizations);
    after = page.next;
  }
  return organizations;
}

async function listOrganizations(): Promise<void> {
  const organizations = await allOrganizations(await askIdentity());
  print(
    ...table({
      columns: ['ID', 'CREATED', 'STATE', 'NAME'].map((title) => ({ title, align: 'left' })),
      rows: organizations.map(({ id, createdAt, suspendedAt, name }) => [
        id,
        createdAt,
        suspendedAt === null ? 'active' : 'suspended',
        printable(name),
      ]),
    }),
  );
}

async function makeKey(
  organizationId: string,
  { name, role, keyFile: file }: { name: string; role: Role; keyFile?: string },
): Promise<void> {
  if (file !== undefined) await checkIsNew(file);
  const { apiKey, key } = await createKey(await askIdentity(), { organizationId, name, role });
  const made = `API key ${apiKey.id} (${apiKey.role}) was made.`;
  print(...(await handOver(key, { file, made, whose: 'the key' })));
}

async function revokeKey(apiKeyId: string): Promise<void> {
  const { revoked } = await (await askIdentity()).revokeKey(operator, { apiKeyId });
  if (!revoked) throw new Refusal('There is no API key with this id.');
  print(`API key ${apiKeyId} is revoked.`);
}

async function makeLoginLink(member: string): Promise<void> {
  const connection = await findConnection();
  if (connection.PUBLIC_URL === undefined)
    throw new Refusal(
      'PUBLIC_URL is not set: the link begins with it. Set it to where clients reach the API, such as https://assay.example.com/v2.',
    );
  const made = await createLoginLink(await askIdentity(connection), {
    member,
    apiUrl: connection.PUBLIC_URL,
  });
  print(
    `This link signs ${printable(made.member.email)} (${made.member.role}) in to the organization ${printable(made.organization.name)}, once, within 10 minutes:`,
    made.link,
  );
}

async function showLimits(organizationId: string, words: string[]): Promise<void> {
  const change = refusingWords(words);
  const ask = await askIdentity();
  if (words.length > 0) {
    await ask.setLimits(operator, { organizationId, change });
    print('The limits are set. They hold everywhere within ten seconds.');
  }
  const { limits, usage } = await ask.limits(operator, { organizationId });
  print(...limitTable(limits, usage));
}

function refusingWords(words: string[]): LimitChange {
  try {
    return readLimits(words);
  } catch (error) {
    return refuse(error as Error);
  }
}

async function dealWithDeadLetters(
  words: string[],
  { sendAgain = false }: { sendAgain?: boolean },
): Promise<void> {
  if (sendAgain && words.length === 0)
    throw new Refusal('Name the dead letters by their numbers, or all of them by `all`.');
  await handleDeadLetters(await connectOperator(), { words, sendAgain, tell: print });
}

async function askIdentity(connection?: Connection): Promise<Asks<typeof identity>> {
  return (await connectOperator(connection)).asks(identity).identity;
}

async function connectOperator(connection?: Connection): Promise<Bus> {
  const {
    NATS_URL: urls,
    ASSAY_OPERATOR_SECRET: operatorSecret,
    SUBJECT_PREFIX: prefix,
    PUBLIC_URL: _publicUrl,
    ...nats
  } = connection ?? (await findConnection());
  const log = createLog({ name: 'admin', level: 'silent' });
  return connectBus({
    urls,
    nats,
    name: 'admin',
    prefix,
    operatorSecret,
    log,
    waitMs: 0,
  });
}

/**
 * Returns the connection from the environment or, without one, from the file that the running
 * launcher wrote.
 */
async function findConnection(): Promise<Connection> {
  readDotEnv();
  const environment = readConfig({
    NATS_URL: z.string().optional(),
    ASSAY_OPERATOR_SECRET: z.string().optional(),
    ASSAY_DATA_DIR: z.string().default('.assay'),
    PUBLIC_URL: z.string().optional(),
  });
  if (environment.NATS_URL !== undefined && environment.ASSAY_OPERATOR_SECRET !== undefined)
    return readConfig({ ...connection, ...natsConfig });
  const running = await readRunning(environment.ASSAY_DATA_DIR).catch(refuse);
  if (!running)
    throw new Refusal(
      'Assay is not running here; start it with `npm start`, or set NATS_URL and ASSAY_OPERATOR_SECRET.',
    );
  const { natsUrl, operatorSecret, subjectPrefix, apiUrl } = running;
  const ofTheirOwn = environment.NATS_URL === undefined ? {} : readConfig(natsConfig);
  return {
    ...readConfig(connection, {
      NATS_URL: natsUrl,
      ASSAY_OPERATOR_SECRET: operatorSecret,
      SUBJECT_PREFIX: subjectPrefix,
      PUBLIC_URL: environment.PUBLIC_URL ?? apiUrl,
    }),
    ...ofTheirOwn,
  };
}

function refuse(error: Error): never {
  throw new Refusal(error.message);
}

function print(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

function sentenceOf(error: unknown): string {
  if (error instanceof Failure && error.cause instanceof ForeignReply)
    return 'Assay does not accept this ASSAY_OPERATOR_SECRET: set it to the one that identity has.';
  if (error instanceof Failure && error.cause instanceof Error)
    return `${error.message.replace(/\.$/, '')}: ${error.cause.message}.`;
  if (error instanceof Refusal || error instanceof Failure) return error.message;
  if (error instanceof ConfigurationError) return error.message.replaceAll(/\s*\n\s*/g, ' ');
  return `This did not work: ${(error as Error).message}`;
}
