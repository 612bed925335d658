import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Asks } from '@assay/contracts/define';
import { type ApiKey, identity, type Organization, type Role } from '@assay/contracts/identity';
import { makeKey } from '@assay/runtime/api-key';
import { connectBus } from '@assay/runtime/bus/bus';
import type { OperatorConfig, ProcessConfig } from '@assay/runtime/config';
import type { Log } from '@assay/runtime/log';
import { operatorIdentity } from '@assay/runtime/signature';
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
  config,
  log,
}: {
  folder: string;
  config: ProcessConfig & OperatorConfig;
  log: Log;
}): Promise<AdminKey> {
  const file = join(folder, 'admin-key');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '') return { key: known, file, isNew: false };
  const bus = await connectBus({
    urls: config.NATS_URL,
    nats: config,
    name: 'launcher',
    prefix: config.SUBJECT_PREFIX,
    operatorSecret: config.ASSAY_OPERATOR_SECRET,
    log,
  });
  try {
    const ask = bus.asks(identity).identity;
    const first = (await ask.listOrganizations(operatorIdentity, {})).organizations[0];
    const { key } = first
      ? await createKey(ask, { organizationId: first.id, name: 'Laptop', role: 'admin' })
      : await createOrganization(ask, { name: 'My organization' });
    await writePrivate(file, `${key}\n`);
    return { key, file, isNew: true };
  } finally {
    await bus.drain();
  }
}
