import type { Method, ParamsOf, QueryOf } from './operations.ts';

/** The values of an operation's path: its parameters, and those of its query. */
export interface PathOptions<Wanted extends Method, Path extends string> {
  params?: ParamsOf<Path> | undefined;
  query?: QueryOf<Wanted, Path> | undefined;
}

interface PathValues {
  params?: object | undefined;
  query?: unknown;
}

/** Returns the path with its values. A list as the value of a query parameter repeats it. */
export function pathOf(path: string, { params, query }: PathValues = {}): string {
  const values = params as Record<string, string>;
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(values[name]!));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const one of [value].flat())
      if (one !== undefined && one !== null && one !== '') search.append(name, String(one));
  return search.size > 0 ? `${filled}?${search}` : filled;
}
