import { expect, test } from 'vitest';
import { faultOf, type Hello } from '../../mongo/fault.ts';

const attempt = {
  addresses: ['db:27017'],
  setName: undefined,
  user: undefined,
  usesTls: false,
  hellos: new Map(),
};
const primary: Hello = { setName: 'rs0', isWritablePrimary: true, maxWireVersion: 17 };

test.each([
  ['a primary', primary, undefined],
  ['a router of shards', { msg: 'isdbgrid', maxWireVersion: 25 }, undefined],
  [
    'MongoDB 5.0',
    { ...primary, maxWireVersion: 13 },
    'the MongoDB at db:27017 is older than 6.0, the oldest that Assay works with: use a newer one',
  ],
  [
    'a secondary that is spoken to directly',
    { ...primary, isWritablePrimary: false },
    'the MongoDB at db:27017 is not the primary of its replica set: name all members, without directConnection',
  ],
])('%s is told as what it is', async (_what, hello, sentence) => {
  expect(await faultOf(attempt, async () => hello)).toBe(sentence);
});

test('a user who may not read is told by the roles that are missing', async () => {
  const refuse = () =>
    Promise.reject(
      Object.assign(new Error('not authorized'), { codeName: 'Unauthorized', code: 13 }),
    );
  expect(await faultOf({ ...attempt, user: 'ada' }, refuse)).toBe(
    'the MongoDB at db:27017 does not let the user "ada" read Assay\'s databases: grant the role readWriteAnyDatabase, or readWrite on each',
  );
});
