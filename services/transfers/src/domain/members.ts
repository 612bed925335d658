import type { Line } from '@assay/contracts/project-file';

export type MemberMatch = 'id' | 'email' | 'none';

/** Finds the members whom a file names among those of the organization that imports it. */
export function createMembers({
  own,
  newIdOf,
  importerId,
}: {
  own: Pick<Line<'member'>, 'userId' | 'email'>[];
  newIdOf: (id: string) => string;
  importerId: string;
}) {
  const ownIds = new Set(own.map(({ userId }) => userId));
  const idByEmail = new Map(own.map(({ email, userId }) => [email.toLowerCase(), userId]));
  const idByFormer = new Map<string, string>();

  const known = (userId: string): string | undefined =>
    ownIds.has(userId) ? userId : idByFormer.get(userId);

  return {
    /** Notes a member of the file, and returns who that is here. */
    note({ userId, email }: Pick<Line<'member'>, 'userId' | 'email'>): {
      to: string;
      match: MemberMatch;
    } {
      if (ownIds.has(userId)) return { to: userId, match: 'id' };
      const to = idByEmail.get(email.toLowerCase());
      if (to === undefined) return { to: newIdOf(userId), match: 'none' };
      idByFormer.set(userId, to);
      return { to, match: 'email' };
    },
    /**
     * Who gave a score or wrote something. Somebody whom the organization does not have becomes
     * nobody, as a member who was removed: their scores are not attributed to another, and two of
     * them stay two.
     */
    author: (userId: string): string =>
      userId === 'background-job' ? userId : (known(userId) ?? newIdOf(userId)),
    /** Whose task something is: nobody cannot do it. */
    assignee: (userId: string): string => known(userId) ?? importerId,
  };
}

export type Members = ReturnType<typeof createMembers>;
