import { newId } from '@assay/runtime/ids';
import { expect, test } from 'vitest';
import { createMembers } from '../src/domain/members.ts';

const membersOf = (areAuthorsBelieved: boolean) =>
  createMembers({
    own: [],
    newIdOf: (id) => `new ${id}`,
    importerId: newId(),
    areAuthorsBelieved,
  });

test('a person of a file has the name that the file gives, wherever it stands', () => {
  const members = membersOf(false);
  expect(members.author('before')).toBe('new before');
  members.note({ userId: 'before', email: 'ada@example.com', name: 'Ada' });
  members.note({ userId: 'after', email: 'grace@example.com', name: null });
  expect(members.author('after')).toBe('new after');
  members.author('background-job');
  members.author('nobody');
  expect(members.imported()).toEqual([
    { userId: 'new before', email: 'ada@example.com', name: 'Ada' },
    { userId: 'new after', email: 'grace@example.com', name: null },
    { userId: 'new nobody', email: null, name: null },
  ]);
});

test('a file that is believed makes nobody', () => {
  const members = membersOf(true);
  members.author('gone');
  expect(members.imported()).toEqual([]);
});

test('a file with more than 10,000 people who are no members is refused', () => {
  const members = membersOf(false);
  for (let number = 0; number < 10_000; number += 1) members.author(`person ${number}`);
  expect(members.author('person 0')).toBe('new person 0');
  expect(() => members.author('one more')).toThrow(
    expect.objectContaining({
      code: 'VALIDATION_ERROR',
      details: { issues: [{ path: '/userId', message: expect.stringContaining('10,000') }] },
    }),
  );
});
