import type { Identity } from '@assay/contracts/define';
import type { AuthorMove } from '@assay/contracts/project-file';
import type { StoredRun } from '../../store/runs.ts';
import { withScoresMoved } from '../accounts/moved-scores.ts';
import type { Dependencies } from '../dependencies.ts';

/** Records that are read for one question. */
const recordsAtOnce = 200;

/**
 * Gives an imported person's work in the runs of a project to a member, some records at a time:
 * `after` is the run and the record after which it goes on.
 */
export function createMoveAuthor({ store }: Pick<Dependencies, 'store'>) {
  async function moveScores(
    organizationId: string,
    run: StoredRun,
    { ids, move }: { ids: string[]; move: AuthorMove },
  ): Promise<void> {
    /** By record, since the change runs again when its transaction does. */
    const awaitedAgain = new Map<string, string[]>();
    await store.records.changeScoreStates(organizationId, {
      run,
      ids,
      change: (record) => {
        const moved = withScoresMoved(record, move, run.metrics);
        if (moved) awaitedAgain.set(record.id, moved.awaitedAgain);
        return moved?.states;
      },
    });
    for (const [recordId, metricVersionIds] of awaitedAgain)
      if (metricVersionIds.length > 0)
        await store.leases.open(organizationId, [recordId], metricVersionIds);
  }

  /** Moves some of a run; returns the last record, or undefined where there are no more. */
  async function moveSome(
    organizationId: string,
    run: StoredRun,
    { after, move }: { after: string; move: AuthorMove },
  ): Promise<string | undefined> {
    const { ids, scoredIds } = await store.authorMoves.listSome(organizationId, {
      runId: run.id,
      after,
      userId: move.from,
      limit: recordsAtOnce,
    });
    if (ids.length > 0) await store.authorMoves.moveBesideScores(organizationId, ids, move);
    if (scoredIds.length > 0) await moveScores(organizationId, run, { ids: scoredIds, move });
    return ids.length === recordsAtOnce ? ids.at(-1) : undefined;
  }

  return {
    async moveAuthor(
      { organizationId }: Identity,
      { after, ...move }: AuthorMove & { after: string | null },
    ): Promise<{ next: string | null }> {
      if (after === null) await store.authorMoves.moveRuns(organizationId, move);
      const [runId = '', recordId = ''] = after?.split('/') ?? [];
      const find = (place: { $gte: string } | { $gt: string }) =>
        store.authorMoves.findRun(organizationId, move.projectId, place);
      const run = await find({ $gte: runId });
      if (!run) return { next: null };
      const last = await moveSome(organizationId, run, {
        after: run.id === runId ? recordId : '',
        move,
      });
      if (last !== undefined) return { next: `${run.id}/${last}` };
      const following = await find({ $gt: run.id });
      return { next: following ? `${following.id}/` : null };
    },
  };
}
