import { poll } from '@assay/testing/poll';
import type { DocumentedOperation } from './api-document.ts';
import type { Call } from './installation.ts';

/** Credentials that must not be let in, and how they are refused. */
export interface Intruder {
  name: string;
  headers: { authorization?: string };
  status: 401 | 403;
}

/** Those that come with something else than an admin's good key; `call` has one. */
export async function createIntruders(key: string, call: Call): Promise<Intruder[]> {
  const newKey = (role: string, expiry: object) =>
    call('POST', '/api-keys', { name: 'Intruder', role, ...expiry });
  const { body: member } = await newKey('member', {});
  const { body: revoked } = await newKey('admin', {});
  // On a busy machine the moment may have passed before the key is made.
  const expired = await poll('a key that ends soon is made', async () => {
    const { status, body } = await newKey('admin', {
      expiresAt: new Date(Date.now() + 1000).toISOString(),
    });
    return status === 201 && body;
  });
  await call('DELETE', `/api-keys/${revoked.id}`);
  for (const { key: ended } of [revoked, expired])
    await poll(
      'the key has ended',
      async () => (await call('GET', '/organization', undefined, { key: ended })).status === 401,
    );

  const bearer = (text: string) => ({ authorization: `Bearer ${text}` });
  return [
    { name: 'no key', headers: {}, status: 401 },
    { name: 'an empty key', headers: bearer(''), status: 401 },
    { name: 'a key of another form', headers: bearer('ak_wrong'), status: 401 },
    {
      name: 'a good key by another scheme',
      headers: { authorization: `Basic ${key}` },
      status: 401,
    },
    { name: 'a good key and more', headers: bearer(`${key}, Bearer ${key}`), status: 401 },
    { name: 'a revoked key', headers: bearer(revoked.key), status: 401 },
    { name: 'an expired key', headers: bearer(expired.key), status: 401 },
    { name: "a member's key", headers: bearer(member.key), status: 403 },
  ];
}

/** Those whom this operation must refuse: a member only where it is for admins. */
export const intrudersOf = (
  { needsKey, isForAdmins }: DocumentedOperation,
  intruders: Intruder[],
): Intruder[] => (needsKey ? intruders.filter(({ status }) => status === 401 || isForAdmins) : []);
