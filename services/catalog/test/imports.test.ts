import { createDueWork } from '@assay/runtime/concurrency/due-work';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { openDatabase } from '@assay/runtime/mongo/database';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createImports } from '../src/domain/imports.ts';
import { start } from '../src/service.ts';
import { createStore } from '../src/store.ts';

const asService = { identity: { role: 'service' as const } };

let world: World;
let client: MongoClient;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: start } });
  client = new MongoClient(world.config.MONGODB_URI);
});
afterAll(async () => {
  await client.close();
  await world.stop();
});

const ask = (step: string, body: object) =>
  world.request('POST', `/internal/imports/${step}`, body, asService);

async function begin(): Promise<string> {
  const projectId = newId();
  const body = { projectId, name: 'p', description: '', idSecret: 's', keyId: null };
  expect((await ask('begin', body)).body).toMatchObject({ outcome: 'begun', projectId });
  return projectId;
}

const attachments = {
  attached: 0,
  present: 0,
  different: 0,
  missing: 0,
  missingAttachments: [],
};

test('a project is there when its import is finished, and not before', async () => {
  const projectId = await begin();
  expect((await world.request('GET', `/projects/${projectId}`)).status).toBe(404);
  expect((await ask('finish', { projectId, sha256: 'h', attachments })).body).toEqual({
    found: true,
  });
  expect((await world.request('GET', `/projects/${projectId}`)).status).toBe(200);
  // A repeat, whose first answer was lost.
  expect((await ask('finish', { projectId, sha256: 'h', attachments })).body).toEqual({
    found: true,
  });
});

test('an import that nobody prolonged is swept away, and cannot be finished', async () => {
  const [projectId, another] = [await begin(), await begin()];
  const imports = client
    .db(`${world.config.DATABASE_PREFIX}_catalog`)
    .collection<{ _id: string }>('imports');
  await imports.updateOne({ _id: projectId }, { $set: { expiresAt: new Date(0) } });
  // A process sweeps when it starts.
  const sweeping = await start(world.config);
  await poll(
    'the import is swept away',
    async () => (await imports.findOne({ _id: projectId })) === null,
  );
  await sweeping.stop();
  expect((await ask('finish', { projectId, sha256: 'h', attachments })).body).toEqual({
    found: false,
  });
  expect((await ask('prolong', { projectId: another })).body).toEqual({ found: true });
});

test('an import that cannot be swept away keeps no other waiting', async () => {
  const log = createLog({ name: 'test', level: 'silent' });
  const database = await openDatabase({
    uri: world.config.MONGODB_URI,
    name: `${world.config.DATABASE_PREFIX}_catalog`,
  });
  onTestFinished(() => database.close());
  const [broken, whole] = [await begin(), await begin()];
  const expired = { $set: { expiresAt: new Date(0) } };
  const stored = database.collection<{ _id: string }>('imports');
  await stored.updateOne({ _id: broken }, expired);
  await stored.updateOne({ _id: whole }, { $set: { expiresAt: new Date(1) } });
  const imports = createImports({
    store: createStore(database),
    announceDeletion: async (_identity, projectId) => {
      if (projectId === broken) throw new Error('no');
    },
    forget: async () => undefined,
    newId,
    now: () => new Date(),
  });
  const sweep = createDueWork({
    organizations: imports.expiredOrganizations,
    work: imports.sweep,
    failure: '',
    log,
  });
  await sweep.run();
  await sweep.run();
  expect(await stored.findOne({ _id: whole })).toBeNull();
  expect(await stored.findOne({ _id: broken })).not.toBeNull();
});
