import type { ItemOf } from '@assay/client/operations';
import { useQueries } from '@tanstack/react-query';
import { useNamed } from '../../api/named.ts';
import { reading } from '../../api/query.ts';

type Run = ItemOf<'/projects/:projectId/runs'>;

/**
 * The newest run of each testset, and of no testset, the newest first: among the newest runs of the
 * project, and by a question of its own for each of the newest testsets that has none among these.
 */
export function useLatestRuns(
  projectId: string,
  {
    newest,
    areAll,
  }: {
    newest: Run[];
    /** The project has no other runs. */
    areAll: boolean;
  },
): { latest: Run[]; areRead: boolean } {
  const seen = new Set(newest.map(({ testsetId }) => testsetId));
  const testsets = useNamed(projectId, { text: '', kind: ['testset'], isEnabled: !areAll });
  const asked = testsets.names.flatMap(({ id }) => (id && !seen.has(id) ? [id] : []));
  const others = useQueries({
    queries: asked.map((testsetId) =>
      reading('/projects/:projectId/runs', {
        params: { projectId },
        query: { testsetId, limit: 1 },
      }),
    ),
  });
  const latest = new Map<string | null, Run>();
  for (const run of [...newest, ...others.flatMap(({ data }) => data?.data ?? [])])
    if (!run.expiredAt && !latest.has(run.testsetId)) latest.set(run.testsetId, run);
  return {
    latest: [...latest.values()].sort((one, other) => (one.id < other.id ? 1 : -1)),
    areRead: !testsets.isSearching && !others.some(({ isPending }) => isPending),
  };
}
