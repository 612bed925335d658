import type { NamedItem } from '@assay/client/named';
import { printable } from '@assay/client/printable';
import { CommandFailure } from './failure.ts';

/** Every id is a UUID; whatever else somebody writes is a name. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Of commands that make a project where they are told to. */
export const howToMake = 'To make it, add --create-project.';

/** The error for a name that nothing has, with those that are like it. */
export function unknownName(
  { kind, wanted, canMake = false }: { kind: string; wanted: string; canMake?: boolean },
  items: readonly NamedItem[],
): CommandFailure {
  const names = [...new Set(items.flatMap(({ name }) => name ?? []))];
  const near = nearNames(wanted, names);
  const shown = (near.length > 0 ? near : names.slice(0, shownMax)).map(
    (name) => `"${printable(name)}"`,
  );
  const remedy =
    near.length > 0
      ? `Did you mean ${shown.join(' or ')}?`
      : names.length > 0
        ? `There ${names.length === 1 ? 'is' : 'are'} ${shown.join(', ')}${names.length > shownMax ? ` and ${names.length - shownMax} more` : ''}: give one of them.`
        : `There is no ${kind} yet: check the name, and by \`assay whoami\` the organization.`;
  const made = canMake ? ` ${howToMake}` : '';
  return new CommandFailure(`There is no ${kind} "${wanted}". ${remedy}${made}`);
}

const shownMax = 5;
/** From this share of equal pairs of letters on, a name is like another. */
const likenessMin = 0.35;

/** Names that are like the wanted one, the most alike first. */
export function nearNames(wanted: string, names: readonly string[]): string[] {
  return names
    .map((name) => ({ name, likeness: likeness(name.toLowerCase(), wanted.toLowerCase()) }))
    .filter(({ likeness }) => likeness >= likenessMin)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, shownMax)
    .map(({ name }) => name);
}

/** Dice's coefficient of the pairs of letters. */
function likeness(one: string, other: string): number {
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return (2 * shared) / (pairs.size + others.size);
}

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from(` ${text}`, (_, index) => ` ${text} `.slice(index, index + 2)));
