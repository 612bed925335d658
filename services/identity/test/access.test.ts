import type { LimitChange } from '@assay/contracts/limits';
import { makeKey } from '@assay/runtime/api-key';
import { serviceIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import {
  ask,
  createKey,
  createOrganization,
  hashOf,
  heard,
  identityOf,
  logged,
  newOrganization,
  nobody,
  operator,
  useIdentity,
  verify,
  world,
} from './setting.ts';

useIdentity();

describe('who may', () => {
  test('a member key reads, and is refused every write before its body is looked at', async () => {
    const { identity } = await newOrganization();
    const as = { identity: { ...identity, role: 'member' as const } };
    for (const path of ['/organization', '/members', '/api-keys'])
      expect((await world.request('GET', path, undefined, as)).status).toBe(200);
    for (const [method, path] of [
      ['POST', '/members'],
      ['PATCH', `/members/${identity.userId}`],
      ['DELETE', `/members/${identity.userId}`],
      ['POST', '/api-keys'],
      ['DELETE', `/api-keys/${identity.apiKeyId}`],
      ['DELETE', '/api-keys/of-another-form'],
    ] as const) {
      const reply = await world.request(
        method,
        path,
        method === 'DELETE' ? undefined : { nonsense: true },
        as,
      );
      expect([reply.status, reply.body]).toEqual([
        403,
        { code: 'FORBIDDEN', message: "Only an admin's key may do this.", details: {} },
      ]);
    }
  });

  test("another organization's keys and members answer exactly as what does not exist, and stay as they are", async () => {
    const { identity, key, call } = await newOrganization();
    const stranger = await newOrganization();
    const missing = { 'api-keys': identity.apiKeyId!, members: identity.userId };
    for (const [collection, id] of Object.entries(missing)) {
      for (const method of collection === 'members' ? ['PATCH', 'DELETE'] : ['DELETE']) {
        const body = method === 'PATCH' ? { role: 'member' } : undefined;
        const foreign = await stranger.call(method, `/${collection}/${id}`, body);
        const absent = await stranger.call(method, `/${collection}/${nobody}`, body);
        expect(foreign.status).toBe(404);
        expect(foreign.text).toBe(absent.text.replace(nobody, id));
        expect(foreign.body.details.resource).toBe(
          (await stranger.call(method, `/${collection}/x`, body)).body.details.resource,
        );
      }
    }
    expect(await verify(key)).toMatchObject({ outcome: 'valid', role: 'admin' });
    for (const path of ['/members', '/api-keys']) {
      expect((await stranger.call('GET', path)).body.data).toHaveLength(1);
      expect((await call('GET', path)).body.data).toHaveLength(1);
    }
  });
});

describe('the operator', () => {
  test('an organization is made with its first admin and key, and is listed', async () => {
    const { organization, call } = await newOrganization('Nine Ltd');
    expect((await call('GET', '/organization')).body).toEqual(organization);
    expect((await call('GET', '/members')).body.data).toMatchObject([
      { email: 'admin@localhost.localdomain', role: 'admin' },
    ]);
    const { organizations, next } = await ask().listOrganizations(operator, {});
    expect(organizations).toContainEqual({ ...organization, suspendedAt: null });
    expect(next).toBe(null);
    expect(
      (await ask().listOrganizations(operator, { after: organization.id })).organizations,
    ).toEqual([]);
  });

  test('launchers that start at once each get an organization whose key is good', async () => {
    const made = await Promise.all(
      Array.from({ length: 4 }, () => createOrganization('Example Ltd')),
    );
    expect(new Set(made.map(({ organization }) => organization.id)).size).toBe(4);
    for (const { key, organization } of made)
      expect(await identityOf(key)).toMatchObject({
        organizationId: organization.id,
        role: 'admin',
      });
  });

  test('a key is made for an organization that is there, and revoked by its id', async () => {
    const { organization } = await newOrganization();
    const { apiKey, key } = await createKey({
      organizationId: organization.id,
      name: 'ops',
      role: 'member',
    });
    expect(await verify(key)).toMatchObject({ role: 'member', apiKeyId: apiKey.id });
    expect(await ask().revokeKey(operator, { apiKeyId: apiKey.id })).toEqual({ revoked: true });
    expect(await verify(key)).toEqual({ outcome: 'unknown' });
    await poll('the revocation is announced', () =>
      heard.some(({ payload }) => payload.keyHash === hashOf(key)),
    );
    expect(await ask().revokeKey(operator, { apiKeyId: apiKey.id })).toEqual({ revoked: false });
    await expect(
      createKey({ organizationId: nobody, name: 'x', role: 'admin' }),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('limits are set for one organization alone, and taken back one by one', async () => {
    const { organization, identity } = await newOrganization();
    const set = (change: LimitChange, organizationId = organization.id) =>
      ask().setLimits(operator, { organizationId, change });
    const read = () => ask().ownLimits(identity, {});
    expect(await read()).toEqual({});
    const limits = { recordsMax: 0, traceBytesPerDayMax: 2 ** 40, judgeBudgetUsdPerDay: 0.25 };
    expect(await set(limits)).toEqual({ limits });
    expect(await read()).toEqual(limits);
    await poll('the change is announced', () =>
      heard.some(
        ({ event, payload }) =>
          event === 'limitsChanged' && payload.organizationId === organization.id,
      ),
    );
    const changed = { traceBytesPerDayMax: 2 ** 40, judgeBudgetUsdPerDay: 25 };
    expect(await set({ recordsMax: null, judgeBudgetUsdPerDay: 25 })).toEqual({ limits: changed });
    expect(await set({})).toEqual({ limits: changed });
    expect(await read()).toEqual(changed);
    const { identity: elsewhere } = await newOrganization();
    expect(await ask().ownLimits(elsewhere, {})).toEqual({});
    expect(await ask().ownLimits(serviceIdentity(nobody), {})).toEqual({});
    await expect(set({ recordsMax: 1 }, nobody)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    for (const wrong of [{ recordsMax: -1 }, { recordsMax: 0.5 }, { requestsPerMinute: 0 }])
      await expect(set(wrong)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  test("the operator's questions are refused to admins, members and services", async () => {
    const { organization, identity } = await newOrganization();
    const key = { organizationId: organization.id, name: 'x', role: 'admin' as const };
    const { kept } = makeKey();
    for (const as of [
      identity,
      { ...identity, role: 'member' as const },
      serviceIdentity(organization.id),
    ]) {
      for (const asked of [
        ask().createOrganization(as, { name: 'x', key: kept }),
        ask().listOrganizations(as, {}),
        ask().createKey(as, { ...key, key: kept }),
        ask().revokeKey(as, { apiKeyId: identity.apiKeyId! }),
        ask().setLimits(as, { organizationId: organization.id, change: { recordsMax: 1 } }),
      ])
        await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN' });
    }
    expect(await identityOf((await createKey(key)).key)).toMatchObject({ role: 'admin' });
  });
});

describe('secrets', () => {
  test('no key and no hash of one is ever logged, while the log says other things', async () => {
    const { key, call } = await newOrganization();
    const made = (await call('POST', '/api-keys', { name: 'quiet' })).body.key as string;
    await call('POST', '/api-keys', { name: 'quiet', key: made, expiresAt: made });
    await call('DELETE', `/api-keys/${made}`);
    await verify(made);
    const lines = logged.join('\n');
    expect(lines).toContain('ready');
    for (const secret of [key, made, hashOf(key), hashOf(made)])
      expect(lines).not.toContain(secret);
    expect(lines).not.toMatch(/ak_[0-9A-Za-z]{40}/);
  });
});
