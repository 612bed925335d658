export interface NamedItem {
  id: string;
  name?: string | undefined;
}

export interface Project {
  id: string;
  name: string;
}

export interface Testset {
  id: string;
  name: string;
  fieldMapping: Record<'inputs' | 'expected' | 'metadata', string[]>;
}

/** A name that several items have, with the ids that tell them apart. */
export class AmbiguousName extends Error {
  override name = 'AmbiguousName';
}

/**
 * The one item of this name or id; undefined where there is none.
 * @throws AmbiguousName that lists all of one name.
 */
export function findNamed<Item extends NamedItem>(
  items: readonly Item[],
  { kind, wanted }: { kind: string; wanted: string },
): Item | undefined {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const found = items.filter(({ name }) => name === wanted);
  if (found.length > 1)
    throw new AmbiguousName(
      `${found.length} ${kind}s are called "${wanted}": give an id, ${found.map(({ id }) => id).join(' or ')}.`,
    );
  return found[0];
}
