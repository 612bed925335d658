import type { QueryOf } from '@assay/client/operations';
import { hasWords, wordsOf } from '@assay/contracts/name-words';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { useSettled } from '../parts/settled.ts';
import { createNameBatches, type NamedThing } from './name-batches.ts';
import { reading } from './query.ts';
import { request } from './request.ts';

export type { NamedThing } from './name-batches.ts';
export type NameKind = NamedThing['kind'];

const path = '/projects/:projectId/names';

export interface NameSearch {
  /** The text, while a person types it. */
  text: string;
  kind?: NameKind[];
  testsetId?: string | undefined;
  metricId?: string | undefined;
  isEnabled?: boolean;
}

/** The newest things of a project whose names have the words of a text that is being typed. */
export function useNamed(
  projectId: string | undefined,
  { text, kind, testsetId, metricId, isEnabled = true }: NameSearch,
) {
  const wanted = text.trim();
  const settled = useSettled(wanted);
  const query: QueryOf<'GET', typeof path> = {
    ...(settled === '' ? {} : { text: settled }),
    ...(kind ? { kind } : {}),
    ...(testsetId === undefined ? {} : { testsetId }),
    ...(metricId === undefined ? {} : { metricId }),
  };
  const search = useQuery({
    ...reading(path, { params: { projectId: projectId ?? '' }, query }),
    enabled: isEnabled && projectId !== undefined,
    placeholderData: keepPreviousData,
  });
  const isSearching = wanted !== settled || search.isPlaceholderData || search.isLoading;
  const names = search.data?.names ?? [];
  return {
    // Of the names before, only those are shown that the new text has: Enter takes no other.
    names: isSearching ? names.filter((thing) => isNamed(thing, wanted)) : names,
    isCut: search.data?.isCut ?? false,
    missing: search.data?.missing ?? [],
    /** The names are not, or not yet, those of the text. */
    isSearching,
    error: search.error,
  };
}

const isNamed = ({ systemName = '', name }: NamedThing, text: string): boolean =>
  hasWords(`${systemName} ${name ?? ''}`, wordsOf(text));

const askName = createNameBatches(async (projectId, ids) => {
  const { names } = await request('GET', path, {
    params: { projectId },
    query: { id: ids, newest: ids.length },
  });
  return names;
});

/** The things of a project that have these ids, whatever they are and however old. */
export function useThings(projectId: string, ids: string[]) {
  const readings = useQueries({
    queries: ids.map((id) => ({
      queryKey: [path, { projectId }, { id }],
      queryFn: () => askName(projectId, id),
    })),
  });
  return {
    areRead: !readings.some(({ isPending }) => isPending),
    thing: (id: string): NamedThing | undefined => readings[ids.indexOf(id)]?.data ?? undefined,
  };
}
