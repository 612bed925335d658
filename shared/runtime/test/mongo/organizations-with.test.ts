import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newId } from '../../ids.ts';
import { organizationsWith } from '../../mongo/organizations-with.ts';

const client = new MongoClient(inject('servers').mongodbUri);
const database = client.db(`organizations-with-${newId()}`);
beforeAll(() => client.connect());
afterAll(async () => {
  await database.dropDatabase();
  await client.close();
});

test('the organizations with something due are found without a look at each thing', async () => {
  const things = database.collection<{ organizationId: string; dueAt?: Date }>('things');
  await things.createIndex({ dueAt: 1 }, { sparse: true });
  await things.createIndex(
    { organizationId: 1, dueAt: 1 },
    { partialFilterExpression: { dueAt: { $exists: true } } },
  );
  const soon = new Date(2000);
  await things.insertMany(
    Array.from({ length: 3000 }, (_, index) => ({
      organizationId: `organization ${index % 3}`,
      ...(index % 3 < 2 ? { dueAt: index % 3 === 0 ? new Date(1000) : soon } : {}),
    })),
  );
  await database.command({ profile: 2 });
  expect(await organizationsWith(things, { dueAt: { $lt: soon } })).toEqual(['organization 0']);
  await database.command({ profile: 0 });
  const [profile] = await database
    .collection('system.profile')
    .find({ 'command.distinct': 'things' })
    .toArray();
  expect(profile).toMatchObject({
    docsExamined: 0,
    planSummary: expect.stringContaining('DISTINCT_SCAN'),
  });
  expect(profile!.keysExamined).toBeLessThan(10);
});
