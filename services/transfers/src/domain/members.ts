import type { Line } from '@assay/contracts/project-file';

export type MemberMatch = 'id' | 'email' | 'none' | 'imported';

/**
 * Finds the members whom a file names among those of the organization that imports it. Authors are
 * believed only where the organization's own server signed the file: anybody can write another
 * one, and a score of a member counts as that person's judgement (ADR 72).
 */
export function createMembers({
  own,
  newIdOf,
  importerId,
  areAuthorsBelieved,
}: {
  own: Pick<Line<'member'>, 'userId' | 'email'>[];
  newIdOf: (id: string) => string;
  importerId: string;
  areAuthorsBelieved: boolean;
}) {
  const ownIds = new Set(own.map(({ userId }) => userId));
  const idByEmail = new Map(own.map(({ email, userId }) => [email.toLowerCase(), userId]));
  const idByFormer = new Map<string, string>();

  const known = (userId: string): string | undefined =>
    ownIds.has(userId) ? userId : idByFormer.get(userId);

  /** The member whom the organization has for this author, unless the file may not say so. */
  function believed(userId: string): string | undefined {
    const to = known(userId);
    return areAuthorsBelieved || to === importerId ? to : undefined;
  }

  function matchOf(userId: string): MemberMatch {
    if (believed(userId) === undefined) return areAuthorsBelieved ? 'none' : 'imported';
    return ownIds.has(userId) ? 'id' : 'email';
  }

  return {
    /** Notes a member of the file, and returns who that is here. */
    note({ userId, email }: Pick<Line<'member'>, 'userId' | 'email'>): {
      to: string;
      match: MemberMatch;
    } {
      const to = idByEmail.get(email.toLowerCase());
      if (to !== undefined && !ownIds.has(userId)) idByFormer.set(userId, to);
      return { to: believed(userId) ?? newIdOf(userId), match: matchOf(userId) };
    },
    /**
     * Who gave a score or wrote something. Somebody whom the organization does not have, or who is
     * not believed, becomes a person of their own: their scores are not attributed to another, and
     * two of them stay two.
     */
    author: (userId: string): string =>
      userId === 'background-job' ? userId : (believed(userId) ?? newIdOf(userId)),
    /** Whose task something is: nobody cannot do it. */
    assignee: (userId: string): string => known(userId) ?? importerId,
  };
}

export type Members = ReturnType<typeof createMembers>;
