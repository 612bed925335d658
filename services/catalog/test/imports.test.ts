import { newId } from '@assay/runtime/ids';
import { poll } from '@assay/testing/poll';
import { startWorld, type World } from '@assay/testing/world';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';

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
