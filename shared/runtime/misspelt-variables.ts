/** Shorter names, such as TERM and PORT, are like others by chance. */
const charactersMin = 8;

/** Any variable X may be given as X_FILE. */
export const isKnownVariable = (known: readonly string[], name: string): boolean =>
  known.includes(name) || known.includes(name.replace(/_FILE$/, ''));

/**
 * Finds variables that are set and not known, and are a letter away from one that is. A variable
 * that is like none may be another program's.
 */
export function misspeltVariables(
  known: readonly string[],
  environment: Record<string, string | undefined>,
): { name: string; meant: string }[] {
  return Object.keys(environment).flatMap((name) => {
    if (isKnownVariable(known, name)) return [];
    const meant = known.find((other) => isOneLetterAway(name, other));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** One letter is wrong, missing, or too much. */
function isOneLetterAway(one: string, other: string): boolean {
  const [longer, shorter] = one.length >= other.length ? [one, other] : [other, one];
  if (shorter.length < charactersMin || longer.length > shorter.length + 1) return false;
  let at = 0;
  while (at < shorter.length && longer[at] === shorter[at]) at += 1;
  return longer.slice(at + 1) === shorter.slice(longer.length === shorter.length ? at + 1 : at);
}
