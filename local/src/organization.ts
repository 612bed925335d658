import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identity } from '@assay/contracts/identity';
import { connectBus } from '@assay/runtime/bus';
import type { ServiceConfig } from '@assay/runtime/config';
import type { Log } from '@assay/runtime/log';
import { serviceIdentity } from '@assay/runtime/signature';
import { writePrivate } from './secret.ts';

export interface AdminKey {
  key: string;
  file: string;
  isNew: boolean;
}

/**
 * The admin key of this installation. The first start makes an organization with one, and keeps it in `<data folder>/admin-key`;
 * where that file is gone, another key is made.
 */
export async function keepAdminKey({ folder, config, log }: { folder: string; config: ServiceConfig; log: Log }): Promise<AdminKey> {
  const file = join(folder, 'admin-key');
  const known = (await readFile(file, 'utf8').catch(() => '')).trim();
  if (known !== '') return { key: known, file, isNew: false };
  const bus = await connectBus({
    urls: config.NATS_URL,
    nats: config,
    name: 'launcher',
    prefix: config.SUBJECT_PREFIX,
    secret: config.ASSAY_SECRET,
    log,
  });
  try {
    const ask = bus.asks(identity).identity;
    const operator = serviceIdentity('');
    const first = (await ask.listOrganizations(operator, {})).organizations[0];
    const { key } = first
      ? await ask.createKey(operator, { organizationId: first.id, name: 'Laptop', role: 'admin' })
      : await ask.createOrganization(operator, { name: 'My organization' });
    await writePrivate(file, `${key}\n`);
    return { key, file, isNew: true };
  } finally {
    await bus.drain();
  }
}
