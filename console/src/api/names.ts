import { shortId } from '../text/names.ts';
import { useMembers } from './members.ts';
import { useThings } from './named.ts';
import { useReading } from './query.ts';
import { useMe } from './session.ts';

/** As many of a kind as are read to choose from; the names of others are asked for by their ids. */
const limit = 100;

/**
 * The names of a project's things, by their ids; an id's beginning until a name is known. `shown` are
 * the ids that the page shows: those that are not among the first of their kind are asked for.
 */
export function useNames(projectId: string, shown: (string | null | undefined)[] = []) {
  const me = useMe().data?.member;
  const testsets = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit },
  });
  const systems = useReading('/projects/:projectId/systems', {
    params: { projectId },
    query: { limit },
  });
  const members = useMembers();
  const areListsRead = !testsets.isPending && !systems.isPending;
  const listed = new Map<string, string>([
    ...(testsets.data?.data ?? []).map(({ id, name }) => [id, name] as const),
    ...(systems.data?.data ?? []).flatMap(({ id, name, versions }) => [
      [id, name] as const,
      ...versions.map((version) => [version.id, version.name] as const),
    ]),
  ]);
  const unlisted = [...new Set(shown)].filter((id) => typeof id === 'string' && !listed.has(id));
  const others = useThings(projectId, areListsRead ? (unlisted as string[]) : []);
  const known = (id: string): string | undefined =>
    listed.get(id) ?? others.thing(id)?.name ?? undefined;
  const nameOf = (id: string): string => known(id) ?? shortId(id);
  return {
    /** All were read, or cannot be: a page that shows them at once does not move when they come. */
    areRead: areListsRead && !members.isPending && others.areRead,
    testsets: testsets.data?.data ?? [],
    systems: systems.data?.data ?? [],
    members: members.data?.data ?? [],
    testset: nameOf,
    version: nameOf,
    /** Undefined of a system that was deleted. */
    system: known,
    member: (id: string) => {
      if (id === me?.userId) return 'you';
      const member = members.data?.data.find(({ userId }) => userId === id);
      return member?.name ?? member?.email ?? shortId(id);
    },
  };
}

export type Names = ReturnType<typeof useNames>;

/** Returns the names of members by their ids. */
export function useMemberNames(): (userId: string) => string {
  const members = useMembers();
  const names = new Map(
    (members.data?.data ?? []).map(({ userId, name, email }) => [userId, name ?? email]),
  );
  return (userId) => names.get(userId) ?? 'somebody who has left';
}
