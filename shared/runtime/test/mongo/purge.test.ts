import { poll } from '@assay/testing/poll';
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

test('an organization with much to delete keeps no other waiting for more than some batches', async () => {
  const said: string[] = [];
  const purge = createPurge({
    database,
    collection: 'things',
    deleteAll: async function* (_organizationId, id) {
      const left = () => 25 - said.filter((other) => other === id).length;
      while (id === 'large' && left() > 0) yield said.push(id);
      if (id !== 'large') yield said.push(id);
    },
    now: () => new Date(settledMs + 5000),
    log: { warn: () => undefined },
  });
  await hide('large', 1000);
  await hide('small', 2000);
  await purge.sweep();
  expect([said.indexOf('small'), said.length]).toEqual([10, 26]);
  expect(await left()).toEqual([]);
});

test('a sweep begins with the start, and the stop waits for the batch that is under way', async () => {
  await hide('thing', 1000);
  const batches: string[] = [];
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const purge = createPurge({
    database,
    collection: 'things',
    deleteAll: async function* (_organizationId, id) {
      for (;;) {
        batches.push(`${id} begins`);
        await ended;
        yield batches.push(`${id} ends`);
      }
    },
    now: () => new Date(settledMs + 5000),
    log: { warn: () => undefined },
  });
  purge.start();
  await poll('a batch is under way', async () => batches.length === 1);
  const stopped = purge.stop();
  end();
  await stopped;
  expect(batches).toEqual(['thing begins', 'thing ends']);
  expect(await left()).toEqual(['thing']);
});
