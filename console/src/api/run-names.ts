import { useQueries } from '@tanstack/react-query';
import { runName, shortId } from '../text/names.ts';
import { reading } from './query.ts';

/** Returns the names of runs, by their ids; an id's beginning until a name is known. */
export function useRunNames(ids: (string | undefined)[]): (id: string) => string {
  const known = ids.filter((id) => id !== undefined);
  const runs = useQueries({
    queries: known.map((runId) => reading('/runs/:runId', { params: { runId } })),
  });
  const names = new Map(known.map((id, index) => [id, runs[index]?.data]));
  return (id) => {
    const run = names.get(id);
    return run ? runName(run) : shortId(id);
  };
}
