import { createHash } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import { identity as contract } from '@assay/contracts/identity';
import { makeKey } from '@assay/runtime/api-key';
import { createLog } from '@assay/runtime/log';
import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { operatorIdentity, serviceIdentity } from '@assay/runtime/signature';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll } from 'vitest';
import { start } from '../src/service.ts';

export let world: World;
export let database: Database;
export const logged: string[] = [];
export const heard: { event: string; payload: Record<string, unknown> }[] = [];

/** Starts identity for a test file; to be called once in it. */
export function useIdentity(): void {
  beforeAll(async () => {
    const log = createLog({
      name: 'test',
      level: 'trace',
      destination: { write: (line: string) => void logged.push(line) },
    });
    world = await startWorld({ services: { identity: (config) => start(config, log) } });
    database = await openDatabase({
      uri: world.config.MONGODB_URI,
      name: `${world.config.DATABASE_PREFIX}_identity`,
    });
    for (const event of Object.keys(contract.events))
      world.bus.subscribeInEveryProcess(
        `${world.config.SUBJECT_PREFIX}.event.identity.${event}`,
        (payload) => heard.push({ event, payload: payload as Record<string, unknown> }),
      );
  });

  afterAll(async () => {
    await database.close();
    await world.stop();
  });
}

export const nobody = '00000000-0000-7000-8000-000000000000';
export const operator = operatorIdentity;
export const ask = () => world.bus.asks(contract).identity;
export const hashOf = (key: string) => createHash('sha256').update(key).digest('base64url');
export const verify = (key: string) =>
  ask().verifyKey(serviceIdentity(''), { keyHash: hashOf(key) });

/** Who the gateway would say this key is. */
export async function identityOf(key: string): Promise<Identity> {
  const verified = await verify(key);
  if (verified.outcome !== 'valid') throw new Error('the key is not good');
  const { organizationId, userId, apiKeyId, role } = verified;
  return { organizationId, userId, apiKeyId, role, requestId: 'test' };
}

/** Asks as the operator's commands do: the key stays with who asks. */
export async function createOrganization(name: string) {
  const { key, kept } = makeKey();
  return { ...(await ask().createOrganization(operator, { name, key: kept })), key };
}

export async function createKey(about: {
  organizationId: string;
  name: string;
  role: 'admin' | 'member';
}) {
  const { key, kept } = makeKey();
  return { ...(await ask().createKey(operator, { ...about, key: kept })), key };
}

/** A new organization as its first admin sees it. */
export async function newOrganization(name = 'Example Ltd') {
  const { organization, key } = await createOrganization(name);
  const identity = await identityOf(key);
  const call = (
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => world.request(method, path, body, { identity, headers });
  return { organization, key, identity, call };
}
export type Organization = Awaited<ReturnType<typeof newOrganization>>;

export const newMember = async ({ call }: Organization, body: object): Promise<string> =>
  (await call('POST', '/members', body)).body.userId;

/** A second admin with a key of their own. */
export async function newAdmin(organization: Organization, email = 'second@example.com') {
  const userId = await newMember(organization, { email, role: 'admin' });
  const identity: Identity = { ...organization.identity, userId };
  const { key } = (
    await world.request('POST', '/api-keys', { name: 'theirs', role: 'admin' }, { identity })
  ).body as { key: string };
  return { userId, identity, key };
}
