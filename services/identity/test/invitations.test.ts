import type { Identity } from '@assay/contracts/define';
import { invitationsMax } from '@assay/contracts/identity';
import { hashOf } from '@assay/runtime/api-key';
import { sessionSecretHeader } from '@assay/runtime/http/reply';
import { serviceIdentity } from '@assay/runtime/signature';
import { poll } from '@assay/testing/poll';
import { describe, expect, test } from 'vitest';
import {
  ask,
  database,
  identityOf,
  logged,
  newAdmin,
  newMember,
  newOrganization,
  type Organization,
  operator,
  useIdentity,
  verify,
  world,
} from './setting.ts';

useIdentity();

const anonymous: Partial<Identity> = {
  organizationId: '',
  userId: '',
  role: 'anonymous',
  apiKeyId: null,
};
const dayMs = 24 * 60 * 60 * 1000;

const tokenIn = (link: string) => new URL(link, 'http://localhost').hash.replace('#once=', '');
const open = (link: string) =>
  world.request('POST', '/session', { token: tokenIn(link) }, { identity: anonymous });

/** Who a session acts as that a link began. */
async function signedIn(link: string) {
  const { status, headers } = await open(link);
  expect(status).toBe(204);
  const secretHash = hashOf(headers.get(sessionSecretHeader)!);
  const verified = await ask().verifySession(serviceIdentity(''), { secretHash });
  if (verified.outcome !== 'valid') throw new Error('the session is not good');
  return verified;
}

async function refusal(link: string): Promise<string> {
  const { status, body } = await open(link);
  expect(status).toBe(401);
  return body.message;
}

async function invite({ call }: Organization, body: object = {}) {
  const invited = await call('POST', '/invitations', { email: 'grace@example.com', ...body });
  expect(invited.status, JSON.stringify(invited.body)).toBe(201);
  return invited.body;
}

const invitationsOf = async ({ call }: Organization) =>
  (await call('GET', '/invitations')).body.data as { email: string }[];
const membersOf = async ({ call }: Organization) =>
  (await call('GET', '/members')).body.data as { userId: string; email: string }[];

describe('an invitation', () => {
  test('makes a member of the person who opens its link, with its role, in a session of their own', async () => {
    const organization = await newOrganization();
    const { link, ...invitation } = await invite(organization, { name: 'Grace', role: 'admin' });
    expect(link).toMatch(/\/login#once=al_[0-9A-Za-z]{49}$/);
    expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(7 * dayMs);
    expect(await invitationsOf(organization)).toEqual([invitation]);
    expect(await membersOf(organization)).toHaveLength(1);

    expect(await signedIn(link)).toMatchObject({
      organizationId: organization.organization.id,
      userId: invitation.id,
      role: 'admin',
      apiKeyId: null,
    });
    expect(await membersOf(organization)).toContainEqual(
      expect.objectContaining({
        userId: invitation.id,
        email: 'grace@example.com',
        name: 'Grace',
        role: 'admin',
      }),
    );
    expect(await invitationsOf(organization)).toEqual([]);
  });

  test('works once, and of two people at once for one', async () => {
    const organization = await newOrganization();
    const { link } = await invite(organization);
    const replies = await Promise.all([open(link), open(link)]);
    expect(replies.map(({ status }) => status).toSorted()).toEqual([204, 401]);
    expect(await membersOf(organization)).toHaveLength(2);
    expect(await refusal(link)).toContain('Ask an admin of your organization for another');
  });

  test('is refused once it is withdrawn, expired or made anew, and the new link works', async () => {
    const organization = await newOrganization();
    const withdrawn = await invite(organization, { email: 'a@example.com' });
    await organization.call('DELETE', `/invitations/${withdrawn.id}`);
    const expired = await invite(organization, { email: 'b@example.com' });
    await database
      .collection('invitations')
      .updateOne({ _id: expired.id as never }, { $set: { expiresAt: new Date(Date.now() - 1) } });
    const old = await invite(organization, { email: 'c@example.com' });
    const renewed = await organization.call('POST', `/invitations/${old.id}/link`);
    expect([renewed.status, renewed.body.id]).toEqual([201, old.id]);
    const refused = [withdrawn, expired, old].map(({ link }) => refusal(link));
    expect(new Set(await Promise.all(refused)).size).toBe(1);
    expect((await signedIn(renewed.body.link)).userId).toBe(old.id);
  });

  test('of an address that was invited until yesterday is made anew', async () => {
    const organization = await newOrganization();
    const { id } = await invite(organization);
    await database
      .collection('invitations')
      .updateOne({ _id: id as never }, { $set: { expiresAt: new Date(Date.now() - dayMs) } });
    expect(await invitationsOf(organization)).toEqual([]);
    await invite(organization, { email: 'GRACE@example.com' });
  });

  test('is kept without its token, which neither the log nor a replay has', async () => {
    const organization = await newOrganization();
    const post = () =>
      organization.call(
        'POST',
        '/invitations',
        { email: 'a@example.com' },
        { 'idempotency-key': 'invite' },
      );
    const [first, again] = [await post(), await post()];
    expect(again.body).toEqual({ ...first.body, link: undefined });
    const kept = JSON.stringify([
      await database.collection('invitations').find().toArray(),
      await database.collection('idempotency').find().toArray(),
      await database.collection('outbox').find().toArray(),
      logged,
    ]);
    expect(kept).not.toContain(tokenIn(first.body.link).slice(3));
  });

  test('is refused for a member, for an address that is invited, and beyond thirty days', async () => {
    const organization = await newOrganization();
    await newMember(organization, { email: 'ada@example.com' });
    await invite(organization);
    const refused = async (body: object) => {
      const reply = await organization.call('POST', '/invitations', body);
      return [reply.status, reply.body.details?.issues?.[0].path ?? reply.body.message];
    };
    expect(await refused({ email: 'ADA@example.com' })).toEqual([
      409,
      expect.stringContaining('sign-in link'),
    ]);
    expect(await refused({ email: 'Grace@example.com' })).toEqual([
      409,
      expect.stringContaining('another link'),
    ]);
    for (const days of [-1, 31])
      expect(
        await refused({
          email: 'late@example.com',
          expiresAt: new Date(Date.now() + days * dayMs).toISOString(),
        }),
      ).toEqual([400, '/expiresAt']);
  });

  test('is one of a hundred at most, until one is withdrawn', async () => {
    const organization = await newOrganization();
    const { id } = await invite(organization);
    const first = await database.collection('invitations').findOne({ _id: id as never });
    await database.collection('invitations').insertMany(
      Array.from({ length: invitationsMax - 1 }, (_, number) => ({
        ...first,
        _id: `${organization.organization.id}-${number}` as never,
        tokenHash: `${organization.organization.id}-${number}`,
        emailLower: `${number}@example.com`,
      })),
    );
    const one = { email: 'more@example.com' };
    const refused = await organization.call('POST', '/invitations', one);
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('100 invitations are open'),
    ]);
    await organization.call('DELETE', `/invitations/${id}`);
    await invite(organization, one);
  });

  test('is made and withdrawn by admins alone, and seen by members', async () => {
    const organization = await newOrganization();
    const { id } = await invite(organization);
    const { key } = (await organization.call('POST', '/api-keys', { name: 'plain' })).body;
    const identity = await identityOf(key);
    const status = async (method: string, path: string, body?: object) =>
      (await world.request(method, path, body, { identity })).status;
    expect(await status('POST', '/invitations', { email: 'a@example.com' })).toBe(403);
    expect(await status('POST', `/invitations/${id}/link`)).toBe(403);
    expect(await status('DELETE', `/invitations/${id}`)).toBe(403);
    expect(await status('POST', `/members/${identity.userId}/sign-in-link`)).toBe(403);
    expect(await status('GET', '/invitations')).toBe(200);
  });

  test('is nothing to other organizations', async () => {
    const organization = await newOrganization();
    const stranger = await newOrganization();
    const { id, link } = await invite(organization);
    const status = async (method: string, path: string) =>
      (await stranger.call(method, path)).status;
    expect(await status('DELETE', `/invitations/${id}`)).toBe(404);
    expect(await status('POST', `/invitations/${id}/link`)).toBe(404);
    expect(await status('POST', `/members/${organization.identity.userId}/sign-in-link`)).toBe(404);
    expect(await invitationsOf(stranger)).toEqual([]);
    expect((await signedIn(link)).organizationId).toBe(organization.organization.id);
  });

  test('waits while the organization is suspended, and works afterwards', async () => {
    const organization = await newOrganization();
    const { link } = await invite(organization);
    const organizationId = organization.organization.id;
    await ask().suspendOrganization(operator, { organizationId });
    expect((await open(link)).status).toBe(403);
    expect(await membersOf(organization)).toHaveLength(1);
    await ask().resumeOrganization(operator, { organizationId });
    await signedIn(link);
  });

  test('ends when its address is given to a member', async () => {
    const organization = await newOrganization();
    const links = [
      (await invite(organization, { email: 'a@example.com' })).link,
      (await invite(organization, { email: 'b@example.com' })).link,
    ];
    const userId = await newMember(organization, { email: 'A@example.com' });
    await organization.call('PATCH', `/members/${userId}`, { email: 'b@example.com' });
    for (const link of links) await refusal(link);
  });
});

describe('the links that somebody made', () => {
  async function linksOf(organization: Organization, identity: Identity) {
    const userId = await newMember(organization, { email: `${crypto.randomUUID()}@example.com` });
    const post = (path: string, body?: object) => world.request('POST', path, body, { identity });
    return [
      (await post('/invitations', { email: `${crypto.randomUUID()}@example.com` })).body.link,
      (await post(`/members/${userId}/sign-in-link`)).body.link,
    ] as string[];
  }
  const areRefused = async (links: string[]) => {
    for (const link of links) await refusal(link);
  };

  test('end with the member, and so does the link that signs the member in', async () => {
    const organization = await newOrganization();
    const { userId, identity } = await newAdmin(organization);
    const links = await linksOf(organization, identity);
    const own = (await organization.call('POST', `/members/${userId}/sign-in-link`)).body.link;
    await organization.call('DELETE', `/members/${userId}`);
    await areRefused([...links, own]);
  });

  test('end when the member is no admin any more, who could not give that much', async () => {
    const organization = await newOrganization();
    const { userId, identity } = await newAdmin(organization);
    const links = await linksOf(organization, identity);
    await organization.call('PATCH', `/members/${userId}`, { role: 'member' });
    await areRefused(links);
  });

  test('end with the key that they were made with, and those of other keys do not', async () => {
    const organization = await newOrganization();
    const { key } = (await organization.call('POST', '/api-keys', { name: 'x', role: 'admin' }))
      .body;
    const identity = await identityOf(key);
    const links = await linksOf(organization, identity);
    const [other] = await linksOf(organization, organization.identity);
    await organization.call('DELETE', `/api-keys/${identity.apiKeyId}`);
    await areRefused(links);
    await signedIn(other!);
  });

  test('go with a person who is forgotten, by the address of an invitation too', async () => {
    const organization = await newOrganization();
    const organizationId = organization.organization.id;
    const { userId, identity } = await newAdmin(organization);
    const links = await linksOf(organization, identity);
    const { id, link } = await invite(organization, { email: 'Eve@example.com' });
    const forget = (user: string) => ask().forgetPerson(operator, { organizationId, user });
    expect((await forget(userId)).places).toContainEqual({
      place: 'invitations',
      erased: 1,
      left: 0,
    });
    expect(await forget('eve@example.com')).toMatchObject({ userId: id });
    await areRefused([...links, link]);
  });
});

describe('a sign-in link of a member', () => {
  test('signs the member in with their own role, once, and another one ends it', async () => {
    const organization = await newOrganization();
    const userId = await newMember(organization, { email: 'ada@example.com' });
    const make = async () =>
      (await organization.call('POST', `/members/${userId}/sign-in-link`)).body;
    const [first, second] = [await make(), await make()];
    expect(Date.parse(second.expiresAt) - Date.now()).toBeGreaterThan(23 * 60 * 60 * 1000);
    await refusal(first.link);
    expect(await signedIn(second.link)).toMatchObject({ userId, role: 'member', apiKeyId: null });
    await refusal(second.link);
  });
});

describe('when a member was last seen', () => {
  test('is noted beside requests by a key or in a browser, at most every five minutes', async () => {
    const organization = await newOrganization();
    const { id, link } = await invite(organization);
    const lastSeen = async (userId: string) =>
      (await membersOf(organization)).find((member) => member.userId === userId) as {
        lastSeenAt?: string | null;
      };
    await signedIn(link);
    await poll('the session is noted', async () => Boolean((await lastSeen(id)).lastSeenAt));

    const userId = await newMember(organization, { email: 'ada@example.com' });
    expect((await lastSeen(userId)).lastSeenAt).toBe(null);
    const { userId: own } = organization.identity;
    await poll('the key is noted', async () => Boolean((await lastSeen(own)).lastSeenAt));
    const noted = (await lastSeen(own)).lastSeenAt;
    await verify(organization.key);
    expect((await lastSeen(own)).lastSeenAt).toBe(noted);
    await database
      .collection('members')
      .updateOne({ _id: own as never }, { $set: { lastSeenAt: new Date(Date.now() - 301_000) } });
    await verify(organization.key);
    await poll('the next use after five minutes is noted', async () => {
      const { lastSeenAt } = await lastSeen(own);
      return Date.parse(lastSeenAt!) > Date.now() - 60_000;
    });
  });
});
