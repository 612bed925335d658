import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asks } from '@assay/contracts/define';
import {
  type ApiKey,
  identity,
  type Member,
  type Organization,
  type Role,
} from '@assay/contracts/identity';
import { hashOf, makeKey, newLoginToken } from '@assay/runtime/api-key';
import { connectBus } from '@assay/runtime/bus/bus';
import type { OperatorConfig, ProcessConfig } from '@assay/runtime/config';
import type { Log } from '@assay/runtime/log';
import { signInLink } from '@assay/runtime/sign-in-link';
import { operatorIdentity } from '@assay/runtime/signature';
import { patiently } from './patience.ts';
import { writePrivate } from './secret.ts';

type AskIdentity = Asks<typeof identity>;

/**
 * Makes an organization with its first admin, and that admin's key: the key is made here, and
 * identity is told its hash.
 */
export async function createOrganization(
  ask: AskIdentity,
  about: { name: string; email?: string | undefined },
): Promise<{ organization: Organization; key: string }> {
  const { key, kept } = makeKey();
  return { ...(await ask.createOrganization(operatorIdentity, { ...about, key: kept })), key };
}

/** Makes another key of an organization's first admin, here too. */
export async function createKey(
  ask: AskIdentity,
  about: { organizationId: string; name: string; role: Role },
): Promise<{ apiKey: ApiKey; key: string }> {
  const { key, kept } = makeKey();
  return { ...(await ask.createKey(operatorIdentity, { ...about, key: kept })), key };
}

/**
 * Makes a link by which a member signs in once, within 10 minutes: the token is made here, and
 * identity is told its hash. `apiUrl` is the base path of the API, which the console stands beside.
 */
export async function createLoginLink(
  ask: AskIdentity,
  { member, apiUrl }: { member: string; apiUrl: string },
): Promise<{ member: Member; organization: Organization; link: string }> {
  const token = newLoginToken();
  const tokenHash = hashOf(token);
  const made = await ask.createLoginToken(operatorIdentity, { member, tokenHash });
  return { ...made, link: signInLink(apiUrl, token) };
}

export interface AdminKey {
  key: string;
  file: string;
  isNew: boolean;
}

/**
 * The admin key of this installation. The first start makes an organization with one, and keeps it
 * in `<data folder>/admin-key`; where that file is gone, another key is made.
 */
export async function keepAdminKey({
  folder,
  ...operator
}: { folder: string } & Operator): Promise<AdminKey> {
  const file = join(folder, 'admin-key');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '') return { key: known, file, isNew: false };
  return askAsOperator(operator, async (ask) => {
    const first = await firstOrganization(ask);
    const { key } = first
      ? await createKey(ask, { organizationId: first.id, name: 'Laptop', role: 'admin' })
      : await createOrganization(ask, { name: 'My organization' });
    await writePrivate(file, `${key}\n`);
    return { key, file, isNew: true };
  });
}

/** Returns a link that signs the first admin of this installation in, once. */
export const createAdminLink = (operator: Operator, apiUrl: string): Promise<string> =>
  askAsOperator(operator, async (ask) => {
    const first = await firstOrganization(ask);
    const { link } = await createLoginLink(ask, { member: first!.id, apiUrl });
    return link;
  });

const firstOrganization = async (ask: AskIdentity): Promise<Organization | undefined> =>
  (await ask.listOrganizations(operatorIdentity, {})).organizations[0];

interface Operator {
  config: ProcessConfig & OperatorConfig;
  log: Log;
  /** Shows a line to the person at the terminal. */
  say?: (line: string) => void;
}

async function askAsOperator<Result>(
  { config, log, say }: Operator,
  work: (ask: AskIdentity) => Promise<Result>,
): Promise<Result> {
  const bus = await connectBus({
    urls: config.NATS_URL,
    nats: config,
    name: 'launcher',
    prefix: config.SUBJECT_PREFIX,
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    log,
  });
  try {
    return await patiently(() => work(bus.asks(identity).identity), {
      say,
      sentence: 'Waiting for identity, which has not answered yet: this machine is busy.',
    });
  } finally {
    await bus.drain();
  }
}
