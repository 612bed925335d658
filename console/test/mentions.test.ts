import { expect, test } from 'vitest';
import {
  begunMention,
  mentionedBy,
  mentionNames,
  storedOf,
  writtenOf,
} from '../src/text/mentions.ts';

const idOf = (digit: number) => `019a9c1e-7d3a-7000-8000-00000000000${digit}`;
const member = (digit: number, name: string | null, email: string) =>
  ({ userId: idOf(digit), name, email }) as Parameters<typeof mentionNames>[0] extends
    | (infer Member)[]
    | undefined
    ? Member
    : never;
const names = mentionNames([
  member(1, 'Ada', 'ada@example.com'),
  member(2, 'Ada Lovelace', 'lovelace@example.com'),
  member(3, 'Grace', 'one@example.com'),
  member(4, 'Grace', 'two@example.com'),
  member(5, null, 'nameless@example.com'),
]);

test('two people of one name have their addresses behind it', () => {
  expect(names.map(({ name }) => name)).toEqual([
    'Ada',
    'Ada Lovelace',
    'Grace (one@example.com)',
    'Grace (two@example.com)',
    'nameless@example.com',
  ]);
});

test.each([
  ['@Ada look', `<@${idOf(1)}> look`],
  ['see @Ada Lovelace, @Ada.', `see <@${idOf(2)}>, <@${idOf(1)}>.`],
  ['(@Grace (two@example.com))', `(<@${idOf(4)}>)`],
  ['@nameless@example.com@Ada', `<@${idOf(5)}><@${idOf(1)}>`],
])(
  '%s is stored with the ids of those whom it mentions, and shown as it was written',
  (written, stored) => {
    expect(storedOf(written, names)).toBe(stored);
    expect(writtenOf(stored, names)).toBe(written);
  },
);

test.each(['mail@Ada', '@Adalbert', '@', 'a @ b', `<@${idOf(9)}>`, '@ada'])(
  '%s mentions nobody who is known',
  (written) => {
    expect(storedOf(written, names)).toBe(written);
    expect(writtenOf(written, names)).toBe(written);
  },
);

test('a name that is begun behind an @ is found by any of its words, until it is written out', () => {
  const offered = (text: string) =>
    mentionedBy(begunMention(text, text.length) ?? '!', names, 6).map(({ name }) => name);
  expect(offered('hello @love')).toEqual(['Ada Lovelace']);
  expect(offered('@ad')).toEqual(['Ada', 'Ada Lovelace']);
  expect(offered('@Ada')).toEqual(['Ada Lovelace']);
  expect(offered('@Ada Lovelace')).toEqual([]);
  expect(offered('mail@ad')).toEqual([]);
  expect(offered('@ad\n')).toEqual([]);
});
