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
  await database.transaction(async () => {
    for (const { id, name } of names)
      await store.createVersion('o', { id, name, configHash: id, ...version });
    await store.createVersion('other', {
      id: newId(),
      name: 'foreign',
      configHash: 'x',
      ...version,
    });
  });
  expect(await store.listVersionNames('o', ['s', 'none'])).toEqual(
    new Map([['s', names.slice(5)]]),
  );
});
