import { shortId } from '../text/names.ts';
import { useReading } from './query.ts';
import { useMe } from './session.ts';

/** As many as are looked up by their ids; the others have their id's beginning for a name. */
const limit = 100;

/** The names of a project's things, by their ids; an id's beginning until a name is known. */
export function useNames(projectId: string) {
  const me = useMe().data?.member;
  const testsets = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit },
  });
  const systems = useReading('/projects/:projectId/systems', {
    params: { projectId },
    query: { limit },
  });
  const members = useReading('/members', { query: { limit } });
  const systemOf = (versionId: string) =>
    systems.data?.data.find(({ versions }) => versions.some(({ id }) => id === versionId));
  return {
    /** All were read, or cannot be: a page that shows them at once does not move when they come. */
    areRead: ![testsets, systems, members].some(({ isPending }) => isPending),
    testsets: testsets.data?.data ?? [],
    systems: systems.data?.data ?? [],
    members: members.data?.data ?? [],
    testset: (id: string) =>
      testsets.data?.data.find((testset) => testset.id === id)?.name ?? shortId(id),
    version: (id: string) =>
      systemOf(id)?.versions.find((version) => version.id === id)?.name ?? shortId(id),
    member: (id: string) => {
      if (id === me?.userId) return 'you';
      const member = members.data?.data.find(({ userId }) => userId === id);
      return member?.name ?? member?.email ?? shortId(id);
    },
  };
}

export type Names = ReturnType<typeof useNames>;
