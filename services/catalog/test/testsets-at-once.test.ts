import { type Database, openDatabase } from '@assay/runtime/mongo/database';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createStore } from '../src/store.ts';

const config = testConfig();
const [organizationId, projectId] = ['organization', 'project'];

/** Two processes of the service. */
let one: Database;
let other: Database;
beforeAll(async () => {
  const options = { uri: config.MONGODB_URI, name: `${config.DATABASE_PREFIX}_catalog` };
  [one, other] = await Promise.all([openDatabase(options), openDatabase(options)]);
  await createStore(one).createProject(organizationId, {
    id: projectId,
    name: 'p',
    description: '',
  });
  // Makes the collections, which two transactions cannot do at once.
  await one.transaction(() => createStore(one).createTestset(organizationId, testset('first')));
});
afterAll(async () => {
  await Promise.all([one.close(), other.close()]);
  await dropData(config);
});

const testset = (id: string) => ({
  ...{ id, projectId, name: id, description: '', schemaText: '{}', schemaHash: '', version: 1 },
  fieldMapping: { inputs: [], expected: [], metadata: [] },
  baselineRunId: null,
});

/**
 * Whether a testset of this id can be created at once while another process creates one in the same
 * project.
 */
async function isCreatedBeside(id: string): Promise<boolean> {
  let isCreated = false;
  await one.transaction(async () => {
    await createStore(one).createTestset(organizationId, testset(`under way beside ${id}`));
    const creating = other.transaction(
      () => createStore(other).createTestset(organizationId, testset(id)),
      { conflictWaitMs: 0 },
    );
    isCreated = await creating.catch(() => false);
  });
  return isCreated;
}

test('testsets that are created at once in a project seldom wait for each other', async () => {
  const created = [];
  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) created.push(await isCreatedBeside(id));
  expect(created.filter(Boolean).length).toBeGreaterThanOrEqual(5);
});

test('a testset and the deletion of its project cannot both happen', async () => {
  await one.transaction(async () => {
    await createStore(one).deleteProject(organizationId, projectId);
    const creating = other.transaction(
      () => createStore(other).createTestset(organizationId, testset('late')),
      { conflictWaitMs: 0 },
    );
    await expect(creating).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
  expect(
    await other.transaction(() =>
      createStore(other).createTestset(organizationId, testset('later')),
    ),
  ).toBe(false);
  expect(await createStore(other).findTestset(organizationId, 'later')).toBeUndefined();
});
