import type { Identity, Request } from '@assay/contracts/define';
import { conflict, Failure, invalidAt, notFound } from '@assay/contracts/failure';
import {
  type CreatedInvitation,
  type identity as contract,
  type Invitation,
  invitationDays,
  invitationsMax,
  type SignInLink,
  signInLinkHours,
} from '@assay/contracts/identity';
import type { Page, PageRequest } from '@assay/contracts/page';
import { hashOf, newLoginToken } from '@assay/runtime/api-key';
import { signInLink } from '@assay/runtime/sign-in-link';
import type { Store, StoredInvitation } from '../store.ts';
import { openExpiry } from './keys.ts';
import { checkIsAdmin } from './members.ts';

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;

interface Dependencies {
  store: Store;
  /** The base path of the API as clients reach it; empty where nobody said. */
  publicUrl: string;
  clock: () => Date;
  newId: () => string;
}

type InvitationBody = Request<(typeof contract)['operations']['createInvitation']>['body'];

export type Invitations = ReturnType<typeof createInvitations>;

/**
 * The rules of the links by which admins let people in (ADR 85): invitations of new members, and
 * sign-in links of members. Who may call is checked at the edge, and again beside the write.
 */
export function createInvitations({ store, publicUrl, clock, newId }: Dependencies) {
  /** Stores a link while its maker is an admin: one who is demoted meanwhile leaves none behind. */
  const asAdmin = <Result>(identity: Identity, write: () => Promise<Result>): Promise<Result> =>
    store.transaction(async () => {
      await store.lockOrganization(identity.organizationId);
      await checkIsAdmin(store, identity);
      return write();
    });

  function newLink({ userId, apiKeyId }: Identity) {
    const token = newLoginToken();
    return {
      link: signInLink(publicUrl, token),
      tokenHash: hashOf(token),
      madeBy: { userId, apiKeyId },
    };
  }

  async function checkIsRoom(organizationId: string, email: string): Promise<void> {
    if (await store.findMemberByEmail(organizationId, email))
      throw conflict(
        'A member has this e-mail address: make a sign-in link for them (POST /members/{userId}/sign-in-link).',
      );
    if ((await store.countInvitations(organizationId, clock())) >= invitationsMax)
      throw conflict(
        `${invitationsMax} invitations are open, which is the most: withdraw one, or wait until one expires.`,
      );
  }

  return {
    async listInvitations(
      { organizationId }: Identity,
      page: PageRequest,
    ): Promise<Page<Invitation>> {
      const { items, next } = await store.listInvitations(organizationId, page, clock());
      return { items: items.map(toInvitation), next };
    },
    /** @throws CONFLICT where the person is a member or invited, or too many invitations are open. */
    createInvitation: (
      identity: Identity,
      { email, name, role, expiresAt }: InvitationBody,
    ): Promise<CreatedInvitation> =>
      asAdmin(identity, async () => {
        const { organizationId } = identity;
        await checkIsRoom(organizationId, email);
        const createdAt = clock();
        const { link, ...kept } = newLink(identity);
        const invitation = {
          id: newId(),
          email,
          name: name ?? null,
          role,
          ...kept,
          createdAt,
          expiresAt: expiryOf(expiresAt, createdAt),
        };
        if (!(await store.createInvitation(organizationId, invitation)))
          throw conflict(
            'This e-mail address is invited: make another link of that invitation (POST /invitations/{invitationId}/link), or withdraw it.',
          );
        return { ...toInvitation(invitation), link };
      }),
    renewInvitation: (
      identity: Identity,
      id: string,
      expiresAt: string | undefined,
    ): Promise<CreatedInvitation> =>
      asAdmin(identity, async () => {
        const { link, ...kept } = newLink(identity);
        const invitation = await store.renewInvitation(identity.organizationId, id, {
          ...kept,
          expiresAt: expiryOf(expiresAt, clock()),
        });
        if (!invitation) throw notFound('invitation', id);
        return { ...toInvitation(invitation), link };
      }),
    async deleteInvitation({ organizationId }: Identity, id: string) {
      if (!(await store.deleteInvitation(organizationId, id))) throw notFound('invitation', id);
      return { success: true as const };
    },
    createSignInLink: (identity: Identity, userId: string): Promise<SignInLink> =>
      asAdmin(identity, async () => {
        const { organizationId } = identity;
        if (!(await store.findMember(organizationId, userId))) throw notFound('user', userId);
        const { link, ...kept } = newLink(identity);
        const expiresAt = new Date(clock().getTime() + signInLinkHours * hourMs);
        await store.deleteLoginTokensByAdmins(organizationId, userId);
        await store.createLoginToken(organizationId, { ...kept, userId, expiresAt });
        return { link, expiresAt: expiresAt.toISOString() };
      }),
    /** Makes a member of the person who has this token, in the caller's transaction. */
    async accept(
      tokenHash: string,
    ): Promise<{ organizationId: string; userId: string } | undefined> {
      const accepted = await store.spendInvitation(tokenHash, clock());
      if (!accepted) return undefined;
      const { organizationId, id: userId, email, name, role } = accepted;
      const member = { userId, email, name, role, createdAt: clock() };
      if (!(await store.createMember(organizationId, member)))
        throw new Failure(
          'UNAUTHORIZED',
          'A member has the e-mail address of this invitation: ask an admin of the organization for a sign-in link.',
        );
      return { organizationId, userId };
    },
  };
}

/** @throws VALIDATION_ERROR at /expiresAt if it has passed or is too far away. */
function expiryOf(text: string | undefined, now: Date): Date {
  const daysAway = (days: number) => new Date(now.getTime() + days * dayMs);
  const expiresAt = openExpiry(text ?? null, now) ?? daysAway(invitationDays.usual);
  if (expiresAt > daysAway(invitationDays.max))
    throw invalidAt('/expiresAt', `must be at most ${invitationDays.max} days from now`);
  return expiresAt;
}

const toInvitation = ({
  id,
  email,
  name,
  role,
  madeBy,
  createdAt,
  expiresAt,
}: StoredInvitation): Invitation => ({
  id,
  email,
  name,
  role,
  invitedByUserId: madeBy.userId,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt.toISOString(),
});
