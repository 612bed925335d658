import type { ItemOf } from '@assay/client/operations';
import { mentionOf, piecesOf } from '@assay/contracts/mentions';

type Member = ItemOf<'/members'>;

/** A person as comments name them: two of one name have their addresses behind it. */
export interface MentionName {
  userId: string;
  name: string;
}

export function mentionNames(members: Member[] = []): MentionName[] {
  const shown = members.map(({ name, email }) => name ?? email);
  return members.map(({ userId, email }, index) => {
    const name = shown[index]!;
    const isShared = shown.filter((one) => one === name).length > 1;
    return { userId, name: isShared && name !== email ? `${name} (${email})` : name };
  });
}

/** A comment as it is written, with names; of somebody who is no member, the id. */
export function writtenOf(comment: string, names: MentionName[]): string {
  const nameOf = new Map(names.map(({ userId, name }) => [userId, name]));
  return piecesOf(comment)
    .map((piece, index) => (index % 2 === 0 ? piece : writtenName(piece, nameOf.get(piece))))
    .join('');
}

const writtenName = (userId: string, name: string | undefined): string =>
  name === undefined ? mentionOf(userId) : `@${name}`;

/** A comment as it is stored: each `@` with the name of a member is a mention. */
export function storedOf(written: string, names: MentionName[]): string {
  const longestFirst = names.toSorted((one, other) => other.name.length - one.name.length);
  let stored = '';
  let rest = written;
  for (let at = rest.indexOf('@'); at >= 0; at = rest.indexOf('@')) {
    const before = stored.slice(-1) + rest.slice(0, at);
    const after = rest.slice(at + 1);
    const named = /[\p{L}\p{N}<]$/u.test(before)
      ? undefined
      : longestFirst.find(({ name }) => isNameAt(after, name));
    stored += rest.slice(0, at) + (named ? mentionOf(named.userId) : '@');
    rest = after.slice(named?.name.length ?? 0);
  }
  return stored + rest;
}

const isNameAt = (text: string, name: string): boolean =>
  text.startsWith(name) && !/^[\p{L}\p{N}]/u.test(text.slice(name.length));

/** The part of a name that is written before the caret, behind its `@`; undefined where none is. */
export const begunMention = (text: string, caret: number): string | undefined =>
  /(?:^|[\s(])@([^@\n]{0,40})$/.exec(text.slice(0, caret))?.[1];

/** The members whom the beginning of a name may mean; nobody whose name is written out. */
export function mentionedBy(begun: string, names: MentionName[], max: number): MentionName[] {
  const lower = begun.toLowerCase();
  return names
    .filter(
      ({ name }) =>
        name !== begun && wordStarts(name.toLowerCase()).some((part) => part.startsWith(lower)),
    )
    .slice(0, max);
}

/** A name, and its rest after each space. */
const wordStarts = (name: string): string[] => [
  name,
  ...[...name.matchAll(/\s+/g)].map(({ index, 0: space }) => name.slice(index + space.length)),
];
