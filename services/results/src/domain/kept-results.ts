import { createHash } from 'node:crypto';
import type { Identity } from '@assay/contracts/define';
import type { RunOutline } from '@assay/contracts/run-records';
import type { Dependencies } from './dependencies.ts';

/** To be raised when summaries or comparisons of the same scores say something else than before. */
const rules = 1;

export type KeptResults = ReturnType<typeof createKeptResults>;

/** The same request about runs in the same state has the same result. */
interface ResultRequest {
  kind: 'summary' | 'breakdown' | 'comparison';
  runs: RunOutline[];
  /** The options of the request. */
  options: unknown;
}

/**
 * Keeps summaries and comparisons until their runs change. All of a run's scores and settings are in
 * its outline, with the number of its changes.
 */
export function createKeptResults({ store, revision }: Pick<Dependencies, 'store' | 'revision'>) {
  return {
    /** The result that is kept, or else that of `work`, which is kept from now on. */
    async of<Result extends object>(
      { organizationId }: Pick<Identity, 'organizationId'>,
      { kind, runs, options }: ResultRequest,
      work: () => Promise<Result>,
    ): Promise<Result> {
      const runIds = runs.map(({ id }) => id);
      const id = hashOf([organizationId, kind, runIds, options]);
      const state = hashOf([rules, revision, runs]);
      const known = await store.keptResults.find(organizationId, id, state);
      if (known !== undefined) return JSON.parse(known) as Result;
      const made = await work();
      await store.keptResults.keep(organizationId, {
        id,
        runIds,
        state,
        text: JSON.stringify(made),
      });
      return made;
    },
  };
}

const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url');
