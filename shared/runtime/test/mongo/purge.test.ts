import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { newId } from '../../ids.ts';
import { openDatabase } from '../../mongo/database.ts';
import { createPurge, settledMs } from '../../mongo/purge.ts';

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({ uri: inject('servers').mongodbUri, name: `purge-${newId()}` });
});
beforeEach(async () => {
  await things().deleteMany({});
});
afterAll(async () => {
  await things().drop();
  await database.close();
});

const things = () =>
  database.collection<{ _id: string; organizationId: string; deletedAt?: Date }>('things');
const hide = (id: string, deletedAt: number) =>
  things().insertOne({ _id: id, organizationId: `of ${id}`, deletedAt: new Date(deletedAt) });
const left = async () => (await things().find().sort({ _id: 1 }).toArray()).map(({ _id }) => _id);

/** `said` has what was deleted of what, batch by batch; `fails` fails. */
function purging({ at, fails = 'nothing' }: { at: () => number; fails?: string }) {
  const said: string[] = [];
  const warnings: string[] = [];
  const purge = createPurge({
    database,
    collection: 'things',
    deleteAll: async function* (organizationId, id) {
      for (const batch of [1, 2]) {
        if (id === fails && batch === 2) throw new Error('no');
        yield said.push(`${id} ${organizationId} ${batch}`);
      }
    },
    now: () => new Date(at()),
    log: { warn: ({ id }: { id: string }) => warnings.push(id) } as never,
  });
  return { ...purge, said, warnings };
}

test('what is hidden is removed, the first one first, and what is not hidden, or was so only now, stays', async () => {
  await things().insertOne({ _id: 'visible', organizationId: 'of visible' });
  await hide('second', 2000);
  await hide('first', 1000);
  await hide('late', 3000);
  const purge = purging({ at: () => settledMs + 2500 });
  await purge.sweep();
  expect(purge.said).toEqual([
    'first of first 1',
    'first of first 2',
    'second of second 1',
    'second of second 2',
  ]);
  expect(await left()).toEqual(['late', 'visible']);
});

test('what fails keeps nothing else waiting, and is tried again later', async () => {
  await hide('broken', 1000);
  await hide('whole', 2000);
  let at = settledMs + 5000;
  const failing = purging({ at: () => at, fails: 'broken' });
  await failing.sweep();
  expect([failing.warnings, await left()]).toEqual([['broken'], ['broken']]);
  await purging({ at: () => at }).sweep();
  expect(await left()).toEqual(['broken']);
  at += 61_000;
  await purging({ at: () => at }).sweep();
  expect(await left()).toEqual([]);
});

test('two processes do not remove the same thing', async () => {
  for (let index = 0; index < 10; index++) await hide(`thing ${index}`, 1000);
  const [one, two] = [
    purging({ at: () => settledMs + 5000 }),
    purging({ at: () => settledMs + 5000 }),
  ];
  await Promise.all([one.sweep(), two.sweep()]);
  const said = [...one.said, ...two.said];
  expect([said.length, new Set(said).size]).toEqual([20, 20]);
  expect(await left()).toEqual([]);
});

test('a sweep begins with the start, and the stop waits for the batch that is under way', async () => {
  await hide('thing', 1000);
  const purge = purging({ at: () => settledMs + 5000 });
  purge.start();
  await purge.stop();
  expect(purge.said).toEqual(['thing of thing 1']);
  expect(await left()).toEqual(['thing']);
});
