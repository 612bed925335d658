import { codePoints, editDistance } from '@assay/evaluators/edit-distance';
import { AssayError } from './failure.ts';

/** Anything that people call by its name. */
export interface NamedItem {
  id: string;
  name: string;
}

const namesShown = 5;

export function choose<Item extends NamedItem>({
  items,
  kind,
  wanted,
}: {
  items: Item[];
  kind: string;
  wanted: string;
}): Item {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const found = items.filter(({ name }) => name === wanted);
  if (found.length === 1) return found[0]!;
  if (found.length > 1)
    throw new AssayError(
      `${found.length} ${kind}s are called ${quoted(wanted)}: give an id, ${found.map(({ id }) => id).join(' or ')}.`,
    );
  throw new AssayError(`There is no ${kind} ${quoted(wanted)}${nearNames(wanted, items)}.`);
}

const quoted = (name: string): string => JSON.stringify(name);

/** The names that come nearest; all of them where there are few. */
export function nearNames(wanted: string, items: { name: string }[]): string {
  const names = [...new Set(items.map(({ name }) => name))];
  if (names.length === 0) return '; there is none yet';
  const near = names
    .map((name) => ({ name, distance: distanceOf(wanted, name) }))
    .sort((one, other) => one.distance - other.distance)
    .slice(0, namesShown)
    .map(({ name }) => quoted(name));
  return names.length <= namesShown
    ? `; there is ${near.join(', ')}`
    : `; of ${names.length}, the nearest are ${near.join(', ')}`;
}

/** Names may be long: their first hundred characters tell which is meant. */
function distanceOf(one: string, other: string): number {
  const [shorter, longer] = [one, other]
    .map((text) => codePoints(text.slice(0, 100).toLowerCase()))
    .sort((left, right) => left.length - right.length);
  return editDistance({ shorter: shorter!, longer: longer! });
}
