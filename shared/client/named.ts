import type { ItemOf } from './operations.ts';
import { printable } from './printable.ts';

export interface NamedItem {
  id: string;
  name?: string | undefined;
}

export type Project = Pick<ItemOf<'/projects'>, 'id' | 'name'>;
export type Testset = ItemOf<'/projects/:projectId/testsets'>;

/** Whether a text has the form of an id, which is a UUID; any other text is a name. */
export const isId = (text: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** A name that nothing has, or that does not say which of several is meant: one sentence of advice. */
export class LookupFailure extends Error {
  override name = 'LookupFailure';
  /** Names like the wanted one. */
  readonly near: readonly string[];

  constructor(message: string, near: readonly string[] = []) {
    super(message);
    this.near = near;
  }
}

/**
 * No run can be meant by the name of a baseline, and none has a name near to it: the candidate is
 * the first of its kind.
 */
export class NoBaselineYet extends LookupFailure {
  override name = 'NoBaselineYet';
}

/** The kind of thing that is sought, such as "testset", and the name or id that somebody gave. */
interface NameSearch {
  kind: string;
  wanted: string;
  /** A sentence that is added where there is none. */
  remedy?: string | undefined;
}

/**
 * Finds the item of this id or name.
 * @throws LookupFailure with names that are near, or with the ids of all that have the name.
 */
export function choose<Item extends NamedItem>(items: readonly Item[], sought: NameSearch): Item {
  const found = findNamed(items, sought);
  if (found) return found;
  throw unknownName(
    sought,
    items.flatMap(({ name }) => name ?? []),
  );
}

/**
 * The one item of this id or name; undefined where there is none.
 * @throws LookupFailure that lists all of one name.
 */
export function findNamed<Item extends NamedItem>(
  items: readonly Item[],
  { kind, wanted }: NameSearch,
): Item | undefined {
  const byId = items.find(({ id }) => id === wanted);
  if (byId) return byId;
  const found = items.filter(({ name }) => name === wanted);
  if (found.length > 1) {
    const ids = found.slice(0, idsShown).map(({ id }) => id);
    const newest = kind === 'run' ? `, or latest:${printable(wanted)} for the newest` : '';
    throw new LookupFailure(
      `${found.length} ${kind}s are called "${printable(wanted)}": give an id, ${ids.join(' or ')}${newest}.`,
    );
  }
  return found[0];
}

/** The failure for a name that nothing has, with the names that are near. */
export function unknownName(
  { kind, wanted, remedy }: NameSearch,
  allNames: readonly string[],
): LookupFailure {
  const names = [...new Set(allNames)];
  const near = nearNames(wanted, names);
  const advice = near.length > 0 ? didYouMean(near) : othersOf(kind, names);
  const sentences = [`There is no ${kind} "${printable(wanted)}".`, advice, remedy];
  return new LookupFailure(sentences.filter(Boolean).join(' '), near);
}

const idsShown = 5;
const namesShown = 5;
const quoted = (name: string): string => `"${printable(name)}"`;

export const didYouMean = (near: readonly string[]): string =>
  `Did you mean ${near.map(quoted).join(' or ')}?`;

function othersOf(kind: string, names: readonly string[]): string {
  if (names.length === 0) {
    const named = kind === 'run' ? 'run with a name' : kind;
    return `There is no ${named} yet: check the name, and the organization of the key.`;
  }
  const more = names.length > namesShown ? ` and ${names.length - namesShown} more` : '';
  return `There ${names.length === 1 ? 'is' : 'are'} ${names.slice(0, namesShown).map(quoted).join(', ')}${more}: give one of them.`;
}

/** From this share of equal pairs of letters on, a name is like another. */
const likenessMin = 0.35;

/** Names that are like the wanted one, the most alike first. */
export const nearNames = (wanted: string, names: readonly string[]): string[] =>
  names
    .map((name) => ({ name, likeness: likeness(name.toLowerCase(), wanted.toLowerCase()) }))
    .filter(({ likeness }) => likeness >= likenessMin)
    .toSorted((one, other) => other.likeness - one.likeness)
    .slice(0, namesShown)
    .map(({ name }) => name);

/** Whether a name is like another, of the same case. */
export const isAlike = (one: string, other: string): boolean => likeness(one, other) >= likenessMin;

/** Dice's coefficient of the pairs of letters. */
export function likeness(one: string, other: string): number {
  const [pairs, others] = [pairsOf(one), pairsOf(other)];
  const shared = [...pairs].filter((pair) => others.has(pair)).length;
  return (2 * shared) / (pairs.size + others.size);
}

const pairsOf = (text: string): Set<string> =>
  new Set(Array.from(` ${text}`, (_, index) => ` ${text} `.slice(index, index + 2)));
