import type { Method, ParamsOf, PathOf, QueryOf, ReplyOf } from '@assay/client/operations';
import {
  MutationObserver,
  QueryClient,
  queryOptions,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { ApiError, type RequestOptions, request } from './request.ts';

/** True for faults that pass: the server is busy, restarts, or was not reached. */
const isPassing = (error: Error): boolean =>
  error instanceof ApiError && [0, 429, 502, 503, 504].includes(error.status);

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5000,
      refetchOnWindowFocus: true,
      retry: (failures, error) => failures < 3 && isPassing(error),
      retryDelay: (failures, error) =>
        1000 * ((error as ApiError).retryAfterSeconds ?? 2 ** failures),
    },
  },
});

interface Reading<Path extends string> {
  params?: ParamsOf<Path>;
  query?: QueryOf<'GET', Path>;
}

/** One reading of a path, for `useQuery`, `prefetchQuery` and the like. */
export const reading = <Path extends PathOf<'GET'>>(
  path: Path,
  { params, query }: Reading<Path> = {},
) =>
  queryOptions({
    queryKey: [path, params ?? {}, query ?? {}],
    queryFn: ({ signal }): Promise<ReplyOf<'GET', Path>> =>
      request('GET', path, { params, query, signal } as never),
  });

/** Reads one thing. `undefined` in place of the options waits until they are known. */
export const useReading = <Path extends PathOf<'GET'>>(
  path: Path,
  options: (Reading<Path> & { isEnabled?: boolean }) | undefined = {},
) => useQuery({ ...reading(path, options), enabled: options.isEnabled ?? true });

/** A change is repeated where the server is away only if a repeat is harmless. */
const retryOf =
  (method: Method) =>
  (failures: number, error: Error): boolean =>
    method !== 'POST' && failures < 3 && isPassing(error);

/** A change as a mutation. */
const changing = <Wanted extends Method, Path extends string>(method: Wanted, path: Path) => ({
  mutationFn: (options: RequestOptions<Wanted, Path>) =>
    request(method, path as never, options as never) as Promise<ReplyOf<Wanted, Path>>,
  retry: retryOf(method),
});

/** Changes one thing, and has everything that was read under these paths read again. */
export const useChange = <Wanted extends Exclude<Method, 'GET'>, Path extends PathOf<Wanted>>(
  method: Wanted,
  path: Path,
  { refreshes = [] }: { refreshes?: PathOf<'GET'>[] } = {},
) => useMutation({ ...changing(method, path), onSuccess: () => refresh(refreshes) });

/** Changes one thing outside of a component, as `useChange` does. */
export const change = <Wanted extends Exclude<Method, 'GET'>, Path extends PathOf<Wanted>>(
  method: Wanted,
  path: Path,
  options: RequestOptions<Wanted, Path>,
): Promise<ReplyOf<Wanted, Path>> =>
  new MutationObserver(queryClient, changing(method, path)).mutate(options);

/** What is read, and may have to be read again: searches are POST. */
export type ReadPath = PathOf<'GET'> | Extract<PathOf<'POST'>, `${string}/search`>;

/**
 * Has everything that was read under these paths read again. A first reading that is under way began
 * before the change, and would be taken for one after it: it is given up.
 */
export const refresh = (paths: ReadPath[]): Promise<unknown> =>
  Promise.all(
    paths.map(async (path) => {
      await queryClient.cancelQueries({ queryKey: [path] });
      await queryClient.invalidateQueries({ queryKey: [path] });
    }),
  );

/** Has everything that was read under these paths read again once it is shown anew. */
export const markStale = (paths: PathOf<'GET'>[]): Promise<unknown> =>
  Promise.all(
    paths.map((path) => queryClient.invalidateQueries({ queryKey: [path], refetchType: 'none' })),
  );
