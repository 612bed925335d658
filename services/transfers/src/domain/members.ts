import { invalidAt } from '@assay/contracts/failure';
import { grouped } from '@assay/contracts/fields';
import type { Line } from '@assay/contracts/project-file';

/** An import holds these in memory until its end. */
const importedMax = 10_000;

interface ImportedPerson {
  userId: string;
  email: string | null;
  name: string | null;
}

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
  const imported = new Map<string, ImportedPerson>();

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

  /** Who that is here, where nobody of the organization may be it. */
  function stranger(userId: string, about: Pick<ImportedPerson, 'email' | 'name'>): string {
    const to = newIdOf(userId);
    if (areAuthorsBelieved) return to;
    const before = imported.get(to);
    if (!before && imported.size === importedMax)
      throw invalidAt(
        '/userId',
        `is one of more than ${grouped(importedMax)} people who are no members`,
      );
    // A member's line may follow what they wrote.
    if (!before || about.email !== null) imported.set(to, { userId: to, ...about });
    return to;
  }

  return {
    /** The people whom the import made, as the file names them. */
    imported: (): ImportedPerson[] => [...imported.values()],
    /** Notes a member of the file, and returns who that is here. */
    note({ userId, email, name }: Pick<Line<'member'>, 'userId' | 'email' | 'name'>): {
      to: string;
      match: MemberMatch;
    } {
      const to = idByEmail.get(email.toLowerCase());
      if (to !== undefined && !ownIds.has(userId)) idByFormer.set(userId, to);
      return {
        to: believed(userId) ?? stranger(userId, { email, name }),
        match: matchOf(userId),
      };
    },
    /**
     * Who gave a score or wrote something. Somebody whom the organization does not have, or who is
     * not believed, becomes a person of their own: their scores are not attributed to another, and
     * two of them stay two.
     */
    author: (userId: string): string =>
      userId === 'background-job'
        ? userId
        : (believed(userId) ?? stranger(userId, { email: null, name: null })),
    /** Whose task something is: nobody cannot do it. */
    assignee: (userId: string): string => known(userId) ?? importerId,
  };
}

export type Members = ReturnType<typeof createMembers>;
