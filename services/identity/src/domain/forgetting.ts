import type { Announcements, Asks, Identity } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { identity as contract } from '@assay/contracts/identity';
import type { sessions } from '@assay/contracts/sessions';
import type { traces } from '@assay/contracts/traces';
import { serviceIdentity } from '@assay/runtime/signature';
import type { Store } from '../store.ts';
import { keepAnAdmin } from './members.ts';

interface Dependencies {
  store: Store;
  announce: Announcements<typeof contract>;
  traces: Pick<Asks<typeof traces>, 'forgetTraces'>;
  sessions: Pick<Asks<typeof sessions>, 'forgetSession'>;
}

interface ForgottenPlace {
  place: string;
  erased: number;
  left: number;
}

export type Forgetting = ReturnType<typeof createForgetting>;

/**
 * Erases for the operator. Of a person the member goes, with name and address, keys, sessions and
 * logins; what the person authored stays, under an id that is nobody's any more. The traces of a user,
 * and a session, are erased by the services that keep them.
 */
export function createForgetting({ store, announce, traces, sessions }: Dependencies) {
  /** A person who was a member has an id alone; of one who is invited, it is the invitation's. */
  async function userIdOf(organizationId: string, user: string): Promise<string> {
    if (!user.includes('@')) return user;
    const member = await store.findMemberByEmail(organizationId, user);
    if (member) return member.userId;
    const invitation = await store.findInvitationTo(organizationId, user);
    if (!invitation) throw notFound('member', user);
    return invitation.id;
  }

  async function checkIsThere(organizationId: string): Promise<void> {
    if (!(await store.findOrganization(organizationId)))
      throw notFound('organization', organizationId);
  }

  return {
    async forgetTraces(
      { requestId }: Identity,
      { organizationId, userId }: { organizationId: string; userId: string },
    ) {
      await checkIsThere(organizationId);
      return traces.forgetTraces(serviceIdentity(organizationId, requestId), { userId });
    },
    async forgetSession(
      { requestId }: Identity,
      { organizationId, sessionId }: { organizationId: string; sessionId: string },
    ) {
      await checkIsThere(organizationId);
      const identity = serviceIdentity(organizationId, requestId);
      const erased = await Promise.all([
        traces.forgetTraces(identity, { sessionId }),
        sessions.forgetSession(identity, { sessionId }),
      ]);
      return {
        places: erased.flatMap(({ places }) => places),
        isDone: erased.every(({ isDone }) => isDone),
      };
    },
    /** Harmless when repeated. @throws CONFLICT for the last admin. */
    async forgetPerson(
      { requestId }: Identity,
      { organizationId, user }: { organizationId: string; user: string },
    ): Promise<{ userId: string; places: ForgottenPlace[] }> {
      const identity = serviceIdentity(organizationId, requestId);
      const { userId, erased } = await store.transaction(async () => {
        if (!(await store.lockOrganization(organizationId)))
          throw notFound('organization', organizationId);
        const userId = await userIdOf(organizationId, user);
        const member = await store.findMember(organizationId, userId);
        if (member) await keepAnAdmin(store, organizationId, member);
        const erased = await store.erasePerson(organizationId, userId);
        await announce.memberChanged(identity, { userId });
        return { userId, erased };
      });
      const left = new Map(
        (await store.countPerson(organizationId, userId)).map(({ place, count }) => [place, count]),
      );
      return {
        userId,
        places: erased.map(({ place, count }) => ({
          place,
          erased: count,
          left: left.get(place) ?? 0,
        })),
      };
    },
  };
}
