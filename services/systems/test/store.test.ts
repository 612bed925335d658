import { randomUUID } from 'node:crypto';
import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { expect, inject, onTestFinished, test } from 'vitest';
import { createStore, versionsListedMax } from '../src/store.ts';

test('of a system with more versions than its reply lists, the newest are listed, oldest first', async () => {
  const database = await openDatabase({
    uri: inject('servers').mongodbUri,
    name: `t${randomUUID().slice(0, 8)}_systems`,
  });
  onTestFinished(async () => {
    await database.collection('versions').drop();
    await database.close();
  });
  const store = createStore(database);
  const names = Array.from({ length: versionsListedMax + 5 }, (_, index) => ({
    id: newId(),
    name: `Version ${index + 1}`,
  }));
  const version = { projectId: 'p', systemId: 's', config: Buffer.from('{}') };
  const create = ({ id, name }: { id: string; name: string }) =>
    store.createVersion('o', { id, name, configHash: id, ...version });
  // A transaction may not take long, also on a busy machine.
  for (let from = 0; from < names.length; from += 50)
    await database.transaction(async () => {
      for (const one of names.slice(from, from + 50)) await create(one);
    });
  await store.createVersion('other', { id: newId(), name: 'foreign', configHash: 'x', ...version });
  expect(await store.listVersionNames('o', ['s', 'none'])).toEqual(
    new Map([['s', names.slice(5)]]),
  );
});
