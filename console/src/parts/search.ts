/**
 * View state in the URL. A route names its parameters with one of these checks each; what does not
 * pass is dropped, as is what it does not name.
 */
type Check<Value> = (given: unknown) => Value | undefined;
type Checks = Record<string, Check<unknown>>;
export type SearchOf<Given extends Checks> = {
  [Name in keyof Given]?: Exclude<ReturnType<Given[Name]>, undefined>;
};

/** Any text but the empty one. */
export const text: Check<string> = (given) =>
  typeof given === 'string' && given !== '' ? given : undefined;

/** One text, or several of them where the parameter is repeated. */
export const texts: Check<string[]> = (given) => {
  const all = [given].flat().filter((one) => text(one) !== undefined) as string[];
  return all.length > 0 ? all : undefined;
};

/** One of these words. */
export const choice =
  <const Word extends string>(...words: Word[]): Check<Word> =>
  (given) =>
    words.find((word) => word === given);

/** Returns the check of all parameters of a route. */
export const search =
  <Given extends Checks>(checks: Given) =>
  (given: Record<string, unknown>): SearchOf<Given> => {
    const passed = Object.entries(checks).map(([name, check]) => [name, check(given[name])]);
    return Object.fromEntries(passed.filter(([, value]) => value !== undefined));
  };

/** Parameters as plain words, so that a URL can be read: a list repeats its name. */
export function parseSearch(query: string): Record<string, string | string[]> {
  const parsed: Record<string, string | string[]> = {};
  for (const [name, value] of new URLSearchParams(query)) {
    const before = parsed[name];
    parsed[name] = before === undefined ? value : [before, value].flat();
  }
  return parsed;
}

export function writeSearch(values: Record<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    for (const one of [value].flat()) if (one !== undefined) query.append(name, String(one));
  return query.size > 0 ? `?${query}` : '';
}
